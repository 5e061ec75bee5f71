import { type Command as CommandOf, Option, type OptionValues } from '@commander-js/extra-typings';
import { Command, InvalidArgumentError } from 'commander';
import * as z from 'zod/mini';
import { Name } from '../../../functions/domain/text.ts';
import { AdminError } from '../../command-line/admin-error.ts';
import { connect, type Service, type ServiceChoice } from '../../command-line/connect.ts';
import { facts, printedJson } from '../../command-line/print.ts';

/** What every command takes, before or after its name. */
export interface Options extends ServiceChoice {
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** A command that consists of others, which its description names. */
export const group = (name: string, what: string, ...commands: Command[]): Command =>
  commands.reduce(
    (all, command) => all.addCommand(command),
    new Command(name).description(`${what}: ${commands.map((each) => each.name()).join(', ')}`),
  );

/** The end of a command's help. Each line is what follows `bin/wfp `. */
export const examples = (...lines: readonly string[]): string =>
  `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${lines.map((line) => `  bin/wfp ${line}`).join('\n')}`;

/**
 * Parses an argument with a schema of the domain; a value that it rejects is a usage error. An
 * empty text is left to `runProgram`.
 */
export const argument =
  <T>(schema: z.ZodMiniType<T>) =>
  (text: string): T => {
    const { success, data, error } = z.safeParse(schema, text);
    if (success) return data;
    if (text === '') return text as T;
    throw new InvalidArgumentError(error.issues.map(({ message }) => message).join(' '));
  };

export const nameArgument = argument(Name);

export interface Result {
  readonly value: object;
  /** How a person reads it; a line for each member, unless given. */
  readonly text?: () => string;
  /** What was not done: an error, after the result is printed. */
  readonly failure?: string | false;
}

/** Gives a command the end of its help, and what it does with the service of its options. */
export const serve = <Arguments extends unknown[], Given extends OptionValues>(
  command: CommandOf<Arguments, Given>,
  help: string,
  act: (service: Service, options: Given & Options, ...args: Arguments) => Promise<Result>,
): Command => {
  command.addHelpText('after', help).action(async (...given) => {
    const options = command.optsWithGlobals() as object as Given & Options;
    const args = given.slice(0, -2) as Arguments;
    const {
      value,
      text = () => facts(value),
      failure,
    } = await act(await connect(options), options, ...args);
    console.log(options.json ? printedJson(value) : text());
    if (failure) throw new AdminError(failure);
  });
  return command as object as Command;
};

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The form of a duration, for help texts and errors. */
const durationForm = '90s, 10m, 2h or 1d';

/** `90s`, `10m`, `2h` or `1d`, in milliseconds. */
export const duration = (text: string): number => {
  const [, number, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  if (!number) throw new InvalidArgumentError(`Give a time such as ${durationForm}.`);
  return Number(number) * unitsMs[unit as keyof typeof unitsMs];
};

const IsoTime = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
]);

/**
 * A date in UTC, or a time with its zone, in ISO 8601. `Date.parse` takes other texts too, such as
 * 45 for 2045, and a time without a zone in that of this machine.
 *
 * @returns milliseconds since 1970, or NaN for every other text
 */
export const isoTimeMs = (text: string): number =>
  z.safeParse(IsoTime, text).success ? Date.parse(text) : Number.NaN;

/** An option for a time in the past: so long ago, or in ISO 8601. */
export const pastTimeOption = <Flags extends string>(flags: Flags, what: string) =>
  new Option(flags, `${what}: how long ago (${durationForm}), or ISO 8601 in UTC`).argParser(
    pastTime,
  );

const pastTime = (text: string): Date => {
  const atMs = /^\d{4}-/.test(text) ? isoTimeMs(text) : Date.now() - duration(text);
  if (atMs <= Date.now()) return new Date(atMs);
  throw new InvalidArgumentError(
    `Give a time such as ${durationForm}, or in ISO 8601, in the past.`,
  );
};
