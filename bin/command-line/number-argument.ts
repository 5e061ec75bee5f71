import { InvalidArgumentError } from 'commander';

/** Reads an argument that is a whole number; another one is a usage error with this sentence. */
export const numberBetween = (least: number, most: number, fault: string) => (text: string) => {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(fault);
};
