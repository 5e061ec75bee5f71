import { newAuthor } from '../../functions/domain/author.ts';
import { stage } from './stage.ts';

/** The author of what a test makes. */
export const author = stage?.author ?? newAuthor('operator:test', 'run_test');
