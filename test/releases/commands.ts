import type { Argument, Command, Option } from 'commander';
import * as z from 'zod/mini';
import { commands, program } from '../../bin/admin/program.ts';
import { outputOf } from '../../bin/admin/service/command.ts';
import { schemaBreaks } from '../openapi/find-breaks.ts';

/** What a script may rely on when it calls a command: two JSON Schemas. */
export interface CommandForm {
  /** Its arguments by their places, and its options by their names. */
  readonly input: object;
  /** What `--json` prints. */
  readonly output: object;
}

/** The command line of a release by the names of its commands: `commands.json`. */
export type Commands = Readonly<Record<string, CommandForm>>;

/** The commands of the operators' command line, without groups of commands. */
export const describeCommands = async (): Promise<Commands> => {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  const everyCommand = { 'every command': { input: inputOf(program), output: {} } };
  return {
    ...everyCommand,
    ...Object.fromEntries(loaded.flatMap(({ command }) => forms(command))),
  };
};

const forms = (command: Command, parent = ''): [string, CommandForm][] => {
  const name = `${parent}${command.name()}`;
  if (command.commands.length > 0)
    return command.commands.flatMap((each) => forms(each, `${name} `));
  const schema = outputOf(command);
  if (!schema) throw new Error(`${name} has no schema of its output.`);
  return [[name, { input: inputOf(command), output: jsonSchema(schema) }]];
};

const jsonSchema = (schema: z.ZodMiniType) => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return rest;
};

const inputOf = ({ registeredArguments, options }: Command) => {
  const places = registeredArguments.map(
    (argument, index) => [`argument ${index + 1}`, argument] as const,
  );
  const flags = options.map((option) => [String(option.long), option] as const);
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...places.map(([place, argument]) => [place, argumentSchema(argument)]),
      ...flags.map(([flag, option]) => [flag, optionSchema(option)]),
    ]),
    required: [
      ...places.filter(([, { required }]) => required).map(([place]) => place),
      ...flags.filter(([, { mandatory }]) => mandatory).map(([flag]) => flag),
    ],
  };
};

const argumentSchema = ({ variadic }: Argument) =>
  variadic ? { type: 'array', items: { type: 'string' } } : { type: 'string' };

const optionSchema = (option: Option) => {
  const standard = option.defaultValueDescription ?? option.defaultValue;
  return {
    type: option.required || option.optional ? 'string' : 'boolean',
    ...(option.argChoices && { enum: option.argChoices }),
    ...(standard !== undefined && { default: String(standard) }),
  };
};

/** A sentence for each thing that a script may rely on and that is gone. */
export const commandBreaks = (before: Commands, after: Commands): string[] =>
  Object.entries(before).flatMap(([name, form]) => {
    const now = after[name];
    if (!now) return [`${name} is gone.`];
    return [
      ...schemaBreaks({ where: name, before: form.input, after: now.input }, 'client'),
      ...schemaBreaks(
        { where: `${name} --json`, before: form.output, after: now.output },
        'service',
      ),
    ];
  });
