import { InvalidArgumentError } from 'commander';

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The form of a duration, for help texts and errors. */
export const durationForm = '90s, 10m, 2h or 1d';

/** `90s`, `10m`, `2h` or `1d`, in milliseconds. */
export const duration = (text: string): number => {
  const [, number, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  if (!number) throw new InvalidArgumentError(`Give a time such as ${durationForm}.`);
  return Number(number) * unitsMs[unit as keyof typeof unitsMs];
};

/** A time in the past: so long ago, or in ISO 8601. */
export const parsePastTime = (text: string): Date => {
  const atMs = /^\d{4}-/.test(text) ? Date.parse(text) : Date.now() - duration(text);
  if (atMs <= Date.now()) return new Date(atMs);
  throw new InvalidArgumentError(
    `Give a time such as ${durationForm}, or in ISO 8601, in the past.`,
  );
};
