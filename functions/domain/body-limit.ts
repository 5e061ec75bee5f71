import { withCommas } from './with-commas.ts';

/** The largest body of a request, in KiB. */
export const bodyLimitKib = 64;

/** The same in bytes. */
export const bodyLimitBytes = bodyLimitKib * 1024;

/** The same for people: "65,536 bytes". */
export const bodyLimit = `${withCommas(bodyLimitBytes)} bytes`;
