import { readFileSync } from 'node:fs';
import { beforeAll, expect, inject, test } from 'vitest';
import { sharedStackFile } from '../admin/run-admin.ts';
import { warnOfSkipping } from '../support/skipping.ts';
import { type Commands, commandBreaks } from './commands.ts';
import { newest, pathOf } from './kept-releases.ts';
import { recordCommands } from './record-commands.ts';

let now: Commands;
beforeAll(async () => {
  now = await recordCommands(sharedStackFile, inject('runDirectory'));
});

test('every command is recorded', () => {
  const names = Object.keys(now.commands);
  const isGroup = (name: string) => names.some((each) => each.startsWith(`${name} `));
  // `events print` is what `events` does without a subcommand.
  expect(names.filter((name) => !isGroup(name) && !now.endings[name])).toEqual(['events print']);
});

// biome-ignore lint/suspicious/noExplicitAny: it is changed in many places.
type Changed = any;

test.each<[string, (changed: Changed) => unknown]>([
  ['token revoke is gone.', ({ commands }) => delete commands['token revoke']],
  [
    'token issue has no --name any more.',
    ({ commands }) => delete commands['token issue'].options['--name'],
  ],
  ['Every command has no --profile any more.', ({ options }) => delete options['--profile']],
  [
    'token issue requires --name.',
    ({ commands }) =>
      Object.assign(commands['token issue'].options['--name'], { isMandatory: true }),
  ],
  [
    'import --format does not accept csv any more.',
    ({ commands }) => commands.import.options['--format'].choices.pop(),
  ],
  [
    'token issue --expires has another default.',
    ({ commands }) =>
      Object.assign(commands['token issue'].options['--expires'], { default: '30d' }),
  ],
  [
    'Every command --stack-file has another variable.',
    ({ options }) => Object.assign(options['--stack-file'], { variable: 'STACK_FILE' }),
  ],
  [
    'manager add has no argument [id] any more.',
    ({ commands }) => commands['manager add'].arguments.pop(),
  ],
  [
    'manager add has no argument [id] any more.',
    ({ commands }) => Object.assign(commands['manager add'], { arguments: ['<id>'] }),
  ],
  [
    'token list requires the argument <name>.',
    ({ commands }) => commands['token list'].arguments.push('<name>'),
  ],
  ['The exit code 130 is gone.', ({ exitCodes }) => exitCodes.pop()],
  [
    'verify (a violation) ends with 0.',
    ({ endings }) => Object.assign(endings.verify['a violation'], { exitCode: 0 }),
  ],
  [
    'token list (done): [].id is gone.',
    ({ endings }) => delete endings['token list'].done.members['[].id'],
  ],
  [
    'outbox relay (done): sent is string, not number.',
    ({ endings }) => Object.assign(endings['outbox relay'].done.members, { sent: 'string' }),
  ],
  [
    'token issue (the command line is wrong): exit_code is gone.',
    ({ endings }) => delete endings['token issue']['the command line is wrong'].members.exit_code,
  ],
])('a break is named: %s', (sentence, change) => {
  const changed = structuredClone(now);
  change(changed);
  expect(commandBreaks(now, changed)).toEqual([sentence]);
});

test('new commands, options, optional arguments and members are none', () => {
  const more: Changed = structuredClone(now);
  more.commands.more = { arguments: ['<id>'], options: {} };
  more.commands['token list'].arguments.push('[more]');
  more.commands['token list'].options['--more'] = { takesValue: true, isMandatory: false };
  more.endings['token list'].done.members['[].more'] = 'string';
  expect(commandBreaks(now, more)).toEqual([]);
});

const release = newest();
warnOfSkipping('The commands of a release are', release ? undefined : 'There is no release yet.');
test.skipIf(!release)('what scripts rely on is as in the newest release', () => {
  const frozen = readFileSync(pathOf(release ?? '', 'commands.json'), 'utf8');
  expect(commandBreaks(JSON.parse(frozen), now)).toEqual([]);
});
