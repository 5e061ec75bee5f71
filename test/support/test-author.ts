import { newAuthor } from '../../functions/domain/author.ts';
import { given } from './given-service.ts';

/** The author of what a test makes. */
export const author = given?.author ?? newAuthor('operator:test', 'run_test');
