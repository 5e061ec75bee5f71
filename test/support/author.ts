import { newAuthor } from '../../functions/domain/author.ts';

/** The author of what a test makes. */
export const author = newAuthor('operator:test', 'run_test');
