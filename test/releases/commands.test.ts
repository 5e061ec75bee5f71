import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { warnOfSkipping } from '../support/skipping.ts';
import { commandBreaks, describeCommands } from './commands.ts';
import { newest, pathOf } from './kept-releases.ts';

const now = await describeCommands();

// biome-ignore lint/suspicious/noExplicitAny: it is changed in many places.
type Changed = any;

test.each<[string, (changed: Changed) => unknown]>([
  ['token revoke is gone.', (changed) => delete changed['token revoke']],
  [
    'token issue: --name is gone.',
    (changed) => delete changed['token issue'].input.properties['--name'],
  ],
  [
    'every command: --profile is gone.',
    (changed) => delete changed['every command'].input.properties['--profile'],
  ],
  [
    'token issue requires --name.',
    (changed) => changed['token issue'].input.required.push('--name'),
  ],
  [
    'import: --format has no "csv" any more.',
    (changed) => changed.import.input.properties['--format'].enum.pop(),
  ],
  [
    'token issue: --expires has another default.',
    (changed) =>
      Object.assign(changed['token issue'].input.properties['--expires'], { default: '30d' }),
  ],
  [
    'manager add: argument 1 is gone.',
    (changed) => delete changed['manager add'].input.properties['argument 1'],
  ],
  [
    'manager add requires argument 1.',
    (changed) => changed['manager add'].input.required.push('argument 1'),
  ],
  [
    'token list --json[]: scopes is gone.',
    (changed) => delete changed['token list'].output.items.properties.scopes,
  ],
  [
    'outbox relay --json: sent has another type.',
    (changed) => Object.assign(changed['outbox relay'].output.properties.sent, { type: 'string' }),
  ],
  [
    'offer show --json may lack workspace.',
    (changed) => changed['offer show'].output.required.shift(),
  ],
])('names what scripts lose: %s', (sentence, change) => {
  const changed = structuredClone(now);
  change(changed);
  expect(commandBreaks(now, changed)).toEqual([sentence]);
});

test('new commands, options, optional arguments and members break no script', () => {
  const more: Changed = structuredClone(now);
  more.more = { input: {}, output: {} };
  more['token list'].input.properties['argument 1'] = { type: 'string' };
  more['token list'].input.properties['--more'] = { type: 'boolean' };
  more['token list'].output.items.properties.more = { type: 'string' };
  expect(commandBreaks(now, more)).toEqual([]);
});

const release = newest();
warnOfSkipping('The commands of a release are', release ? undefined : 'There is no release yet.');
test.skipIf(!release)('scripts keep what the newest release promises', () => {
  const frozen = readFileSync(pathOf(release ?? '', 'commands.json'), 'utf8');
  expect(commandBreaks(JSON.parse(frozen), now)).toEqual([]);
});
