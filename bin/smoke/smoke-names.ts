const ulid = '[0-7][0-9A-HJKMNP-TV-Z]{25}';

/** What follows the prefix of an identifier that a run of the smoke test creates. */
export const smokeName = (run: string, opaque: string): string => `smoke_${run}_${opaque}`;

/** What the filter of a scan can look for; `smokeRunOf` decides. */
export const smokeMark = '_smoke_';

const smokeId = new RegExp(
  `^(?:[A-Z_]+#)?(?:wsp|wsp_test|acc|ptr|ofr)${smokeMark}(${ulid})_${ulid}$`,
);

/**
 * The run of the smoke test that has created what an identifier, or the key of its partition,
 * names; undefined if no run has. An identifier of a customer may contain `smoke` too.
 */
export const smokeRunOf = (idOrKey: unknown): string | undefined =>
  smokeId.exec(String(idOrKey))?.[1];
