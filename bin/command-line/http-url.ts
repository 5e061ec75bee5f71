import { InvalidArgumentError } from 'commander';

/** Reads an argument that is a URL of HTTP; another one is a usage error with this sentence. */
export const httpUrl = (fault: string) => (text: string) => {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError(fault);
};

/** The port of a URL, also where it is the protocol's own, which `URL` leaves out. */
export const portOf = (url: string): number => Number(new URL(url).port || 80);
