/** The same for every recording: identifiers, hashes, times and cursors by their kind. */
export const masked = <Recorded>(recorded: Recorded): Recorded =>
  JSON.parse(
    JSON.stringify(recorded)
      .replaceAll(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, 'ULID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, 'UUID')
      .replaceAll(/crowd-[\da-f]+/g, 'CROWD')
      .replaceAll(/[\da-f]{64}/g, 'HASH')
      .replaceAll(/(cursor(?:=|":"))[\w-]{40,}/g, '$1CURSOR'),
  );

/**
 * A recording in which every exchange or event that differs from an earlier one in identifiers,
 * times and cursors alone stays as it was: what changes in the file has changed in the service.
 */
export const keepUnchanged = <Recorded>(
  recorded: readonly Recorded[],
  earlier: readonly Recorded[],
): Recorded[] => {
  const known = new Map(earlier.map((each) => [JSON.stringify(masked(each)), each]));
  return recorded.map((each) => known.get(JSON.stringify(masked(each))) ?? each);
};
