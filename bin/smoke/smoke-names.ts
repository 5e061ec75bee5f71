/** What follows the prefix of an identifier that a run of the smoke test creates. */
export const smokeName = (run: string, opaque: string): string => `smoke_${run}_${opaque}`;

/** The run that has created what a key names, in its first group. */
export const smokeRun = /_smoke_([0-9A-Z]{26})_/;
