import type { Command, Option } from 'commander';
import { commands, program } from '../../bin/admin/program.ts';

/** The types of the members of a JSON value, by their paths. */
export type Members = Readonly<Record<string, string>>;

/** What a script may rely on when it calls a command. */
export interface CommandDescription {
  /** In their order: `<id>` is required, `[id]` is not, `...` takes several. */
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, OptionDescription>>;
}

interface OptionDescription {
  /** Whether it takes a value. */
  readonly takesValue: boolean;
  readonly isMandatory: boolean;
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly variable?: string;
}

/** What a recorded call ended with. */
export interface Ending {
  readonly exitCode: number;
  /** The members of its JSON: of an error that on standard error. */
  readonly members: Members;
}

/** The command line of a release: `commands.json`. */
export interface Commands {
  readonly exitCodes: readonly string[];
  /** Those of every command. */
  readonly options: CommandDescription['options'];
  readonly commands: Readonly<Record<string, CommandDescription>>;
  /** By command, and by what the call was about. */
  readonly endings: Readonly<Record<string, Readonly<Record<string, Ending>>>>;
}

/** The commands, arguments, options and exit codes of the operators' command line. */
export const describeCommands = async (): Promise<Omit<Commands, 'endings'>> => {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  let help = '';
  program.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const [, codes = ''] = /^Exit codes: (.*?)\n\n/ms.exec(help) ?? [];
  return {
    exitCodes: [...codes.matchAll(/(?:^|;)\s*(\d+) /g)].map(([, code = '']) => code),
    options: describeOptions(program),
    commands: Object.fromEntries(loaded.flatMap(({ command }) => describe(command, ''))),
  };
};

const describe = (command: Command, parent: string): [string, CommandDescription][] => {
  const name = `${parent}${command.name()}`;
  const args = command.registeredArguments.map((argument) => {
    const inside = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${inside}>` : `[${inside}]`;
  });
  return [
    [name, { arguments: args, options: describeOptions(command) }],
    ...command.commands.flatMap((each) => describe(each, `${name} `)),
  ];
};

const describeOptions = (command: Command): CommandDescription['options'] =>
  Object.fromEntries(command.options.map((option) => [option.long, describeOption(option)]));

const describeOption = (option: Option): OptionDescription => {
  const standard = option.defaultValueDescription ?? option.defaultValue;
  return {
    takesValue: option.required || option.optional,
    isMandatory: option.mandatory,
    ...(option.argChoices && { choices: option.argChoices }),
    ...(standard !== undefined && { default: String(standard) }),
    ...(option.envVar && { variable: option.envVar }),
  };
};

/** The types of the members of a value: `items[].id` is that of each element's. */
export const membersOf = (value: unknown, path = ''): Members => {
  const merged: Record<string, string> = { [path]: typeOf(value) };
  const below = Array.isArray(value)
    ? value.map((each) => membersOf(each, `${path}[]`))
    : typeof value === 'object' && value
      ? Object.entries(value).map(([key, each]) => membersOf(each, path ? `${path}.${key}` : key))
      : [];
  for (const [member, type] of below.flatMap((each) => Object.entries(each))) {
    const types = new Set([...(merged[member]?.split(' or ') ?? []), type]);
    merged[member] = [...types].sort().join(' or ');
  }
  return merged;
};

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;

/** A sentence for each thing that a script may rely on and that is gone. */
export const commandBreaks = (before: Commands, after: Commands): string[] => [
  ...without(before.exitCodes, after.exitCodes).map((code) => `The exit code ${code} is gone.`),
  ...optionBreaks('Every command', before.options, after.options),
  ...Object.entries(before.commands).flatMap(([name, description]) => {
    const now = after.commands[name];
    return now ? descriptionBreaks(name, description, now) : [`${name} is gone.`];
  }),
  ...Object.entries(before.endings).flatMap(([name, endings]) =>
    Object.entries(endings).flatMap(([about, ending]) => {
      const now = after.endings[name]?.[about];
      const what = `${name} (${about})`;
      return now ? endingBreaks(what, ending, now) : [`${what} was not recorded.`];
    }),
  ),
];

const without = (all: readonly string[], others: readonly string[]): string[] =>
  all.filter((each) => !others.includes(each));

const descriptionBreaks = (
  name: string,
  before: CommandDescription,
  after: CommandDescription,
): string[] => {
  const lost = before.arguments.filter((argument, index) => {
    const now = after.arguments[index];
    return now !== argument && now !== argument.replace(/^<(.*)>$/, '[$1]');
  });
  const required = after.arguments
    .slice(before.arguments.length)
    .filter((argument) => argument.startsWith('<'));
  return [
    ...lost.map((argument) => `${name} has no argument ${argument} any more.`),
    ...required.map((argument) => `${name} requires the argument ${argument}.`),
    ...optionBreaks(name, before.options, after.options),
  ];
};

const optionBreaks = (
  name: string,
  before: CommandDescription['options'],
  after: CommandDescription['options'],
): string[] => [
  ...Object.entries(before).flatMap(([flag, option]) => {
    const now = after[flag];
    if (!now) return [`${name} has no ${flag} any more.`];
    const choices = now.choices ? without(option.choices ?? ['any'], now.choices) : [];
    return [
      ...choices.map((choice) => `${name} ${flag} does not accept ${choice} any more.`),
      ...(['takesValue', 'default', 'variable'] as const)
        .filter((key) => now[key] !== option[key])
        .map((key) => `${name} ${flag} has another ${key}.`),
    ];
  }),
  ...Object.entries(after)
    .filter(([flag, { isMandatory }]) => isMandatory && !before[flag]?.isMandatory)
    .map(([flag]) => `${name} requires ${flag}.`),
];

const endingBreaks = (what: string, before: Ending, after: Ending): string[] => [
  ...(before.exitCode === after.exitCode ? [] : [`${what} ends with ${after.exitCode}.`]),
  ...Object.entries(before.members).flatMap(([member, type]) => {
    const now = after.members[member];
    if (now === type) return [];
    return now ? [`${what}: ${member} is ${now}, not ${type}.`] : [`${what}: ${member} is gone.`];
  }),
];
