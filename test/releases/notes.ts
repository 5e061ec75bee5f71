/**
 * The notes of a release: its section of the changelog.
 *
 * @param pages where the relative links of the changelog lead, with a slash at the end
 * @throws Error when the changelog has no such section with a date, or an empty one
 */
export const releaseNotes = (changelog: string, version: string, pages: string): string => {
  const sections = changelog.split(/^## /m);
  const named = sections.find((each) => each.startsWith(`[${version}] - `)) ?? '';
  const section = named.slice(named.indexOf('\n')).trim();
  if (!section) throw new Error(`CHANGELOG.md does not describe ${version} with its date.`);
  return section.replaceAll(/\]\((?!https?:|#)/g, `](${pages}`);
};

/**
 * Checks that a tag may be released.
 *
 * @throws Error when it does not name the version, or the release is not frozen
 */
export const checkTag = (tag: string, version: string, frozen: string | undefined): void => {
  if (tag !== `v${version}`) throw new Error(`The tag ${tag} is not the version ${version}.`);
  if (frozen !== version) {
    throw new Error(`test/releases has no ${version}: run \`npm run freeze\`.`);
  }
};
