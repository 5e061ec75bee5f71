import { withCommas } from './text.ts';

/** The largest body of a request: 64 KiB. */
export const bodyLimitBytes = 65_536;

/** The same for people: "65,536 bytes". */
export const bodyLimit = `${withCommas(bodyLimitBytes)} bytes`;
