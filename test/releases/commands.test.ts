import { readFileSync } from 'node:fs';
import { beforeAll, expect, inject, test } from 'vitest';
import { stackFile } from '../admin/admin.ts';
import { warnOfSkipping } from '../support/skipping.ts';
import { type Commands, commandBreaks } from './commands.ts';
import { recordCommands } from './record-commands.ts';
import { newest, pathOf } from './release.ts';

let now: Commands;
beforeAll(async () => {
  now = await recordCommands(stackFile(), inject('runDirectory'));
});

test('every command is recorded', () => {
  const names = Object.keys(now.commands);
  const isGroup = (name: string) => names.some((each) => each.startsWith(`${name} `));
  // `events print` is what `events` does without a subcommand.
  expect(names.filter((name) => !isGroup(name) && !now.endings[name])).toEqual(['events print']);
});

// biome-ignore lint/suspicious/noExplicitAny: it is changed in many places.
type Changed = any;

test.each<[string, (changed: Changed) => unknown, string]>([
  ['a command', ({ commands }) => delete commands['token revoke'], 'token revoke is gone.'],
  [
    'an option',
    ({ commands }) => delete commands['token issue'].options['--name'],
    'token issue has no --name any more.',
  ],
  [
    'an option of every command',
    ({ options }) => delete options['--profile'],
    'Every command has no --profile any more.',
  ],
  [
    'the choice to leave an option out',
    ({ commands }) => {
      commands['token issue'].options['--name'].isMandatory = true;
    },
    'token issue requires --name.',
  ],
  [
    'a value of an option',
    ({ commands }) => commands.import.options['--format'].choices.pop(),
    'import --format does not accept csv any more.',
  ],
  [
    'the default of an option',
    ({ commands }) => {
      commands['token issue'].options['--expires'].default = '30d';
    },
    'token issue --expires has another default.',
  ],
  [
    'an environment variable',
    ({ options }) => {
      options['--stack-file'].variable = 'STACK_FILE';
    },
    'Every command --stack-file has another variable.',
  ],
  [
    'an argument',
    ({ commands }) => commands['manager add'].arguments.pop(),
    'manager add has no argument [id] any more.',
  ],
  [
    'the choice of an argument',
    ({ commands }) => {
      commands['manager add'].arguments = ['<id>'];
    },
    'manager add has no argument [id] any more.',
  ],
  [
    'a call without a new argument',
    ({ commands }) => commands['token list'].arguments.push('<name>'),
    'token list requires the argument <name>.',
  ],
  ['an exit code', ({ exitCodes }) => exitCodes.pop(), 'The exit code 130 is gone.'],
  [
    'the exit code of a call',
    ({ endings }) => {
      endings.verify['a violation'].exitCode = 0;
    },
    'verify (a violation) ends with 0.',
  ],
  [
    'a member of --json',
    ({ endings }) => delete endings['token list'].done.members['[].id'],
    'token list (done): [].id is gone.',
  ],
  [
    'the type of a member of --json',
    ({ endings }) => {
      endings['outbox relay'].done.members.sent = 'string';
    },
    'outbox relay (done): sent is string, not number.',
  ],
  [
    'a member of an error',
    ({ endings }) => delete endings['token issue']['the command line is wrong'].members.exit_code,
    'token issue (the command line is wrong): exit_code is gone.',
  ],
])('losing %s is a break, and named', (_, change, sentence) => {
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
