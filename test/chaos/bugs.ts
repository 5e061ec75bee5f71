import type { Plugin } from 'esbuild';
import { type SourceChange, withChanges } from '../support/changed-sources.ts';

/** Bugs that one could make, to see that the histories find them: what to put in whose place. */
export const bugs = {
  'skip-claim': [
    {
      file: 'functions/store/commit.ts',
      from: 'guard ? [guard.write, ...writes] : writes',
      to: 'writes',
    },
  ],
  'lost-update': [
    {
      file: 'functions/store/offers.ts',
      from: 'attempts = :attemptsBefore',
      to: '(attempts <= :attemptsBefore OR attempts > :attemptsBefore)',
    },
  ],
  'forget-failed-message': [
    {
      file: 'functions/queue/send.ts',
      from: 'return batch.map(({ id }) => id);',
      to: 'return [];',
    },
  ],
  'forget-refused-event': [
    {
      file: 'functions/queue/put-events.ts',
      from: 'return failed.map(({ id }) => id);',
      to: 'return [];',
    },
  ],
} as const satisfies Record<string, readonly SourceChange[]>;

export type BugName = keyof typeof bugs;
export const bugNames = Object.keys(bugs) as BugName[];

/** An esbuild plugin that bundles the functions with a bug in them. */
export const withBug = (name: BugName): Plugin => withChanges(`the bug ${name}`, bugs[name]);
