import type { Command, Option } from 'commander';
import { UsageError } from './admin-error.ts';

/**
 * Options that npm has too, whose variables an .npmrc or CI sets for npm. Without them, a program
 * does nothing that was not meant.
 */
const ofNpmToo = ['json', 'yes', 'workspace', 'verbose'];

/** npm 11 expands this to an option of its own. */
const expanded: Readonly<Record<string, string>> = { token: 'token-description' };

/** An option that npm has kept, its variable, and the value there: `true` where it stood alone. */
interface Kept {
  readonly option: Option;
  readonly variable: string;
  readonly value: string;
}

/**
 * npm keeps options that stand before `--`, or without one, in variables of the environment: a
 * program would do to the local run what was meant for a stage.
 *
 * @throws UsageError when npm has an option of the program that the command line does not give
 */
export const refuseOptionsOfNpm = (program: Command): void => {
  const words = process.argv.slice(2);
  const kept = keptByNpm(program, words);
  if (kept.length === 0) return;
  const names = kept.map(({ option }) => option.long).join(' and ');
  const variables = kept.map(({ variable }) => variable).join(' and ');
  // PowerShell: npm/cli issue 4903.
  throw new UsageError(
    `Nothing was done: npm kept ${names}, because options must follow \`--\`, which PowerShell needs in quotes. Run: ${corrected(program, words, kept)}
What the command line did not have is from .npmrc or the environment (${variables}): remove it there.`,
  );
};

const keptByNpm = (program: Command, words: readonly string[]): Kept[] => {
  const options = new Map(optionsOf(program).map((option) => [option.name(), option]));
  const variables = Object.entries(process.env).filter(([name]) => /^npm_config_/i.test(name));
  return [...options].flatMap(([name, option]) => {
    const isGiven = words.some((word) => word.split('=')[0] === option.long);
    if (isGiven || ofNpmToo.includes(name)) return [];
    const [variable, value = ''] =
      variables.find(([each]) =>
        [name, expanded[name] ?? name].some((its) => isVariable(each, its)),
      ) ?? [];
    return variable ? [{ option, variable, value }] : [];
  });
};

const optionsOf = (command: Command): Option[] => [
  ...command.options,
  ...command.commands.flatMap(optionsOf),
];

/** npm writes `stack_file` for `--stack-file`, and `stackfile` for `--stackFile`. */
const isVariable = (variable: string, name: string): boolean =>
  plain(variable) === plain(`npm_config_${name}`);
const plain = (name: string) => name.replaceAll(/[-_]/g, '').toLowerCase();

/** The command as it should be, with placeholders for the values that npm has not kept. */
const corrected = (program: Command, words: readonly string[], kept: readonly Kept[]): string => {
  const options = kept.map(({ option, value }) => {
    // An option without a value that npm has as false is one that was not to be given.
    if (option.isBoolean()) return value === 'true' ? option.long : '';
    const isValue = /^[^\n]+$/.test(value) && value !== 'true' && option.name() !== 'token';
    return isValue ? `${option.long} ${quoted(value)}` : option.flags;
  });
  // The value of an option that stood alone is the first of the words, unless a command is.
  const isCommand = program.commands.some((command) => command.name() === words[0]);
  const lost = kept.filter(({ option, value }) => value === 'true' && !option.isBoolean());
  const rest = words.slice(isCommand ? 0 : lost.length).map(quoted);
  return [program.name(), ...rest, ...options].filter(Boolean).join(' ');
};

const quoted = (word: string): string =>
  /^[\w./:@=,+…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
