import { findBreaks } from './find-breaks.ts';

/** What the check compares: openapi.json of a release, and what the sources have now. */
export interface Compared {
  readonly release: string;
  readonly frozen: string;
  readonly document: string;
  readonly changelog: string;
}

/**
 * A sentence for each break since the release, and one if the changelog has no entry about a
 * change. Only a vulnerability may justify a break: the changelog then lists the sentence under
 * Security, above the release.
 */
export const checkCompatibility = ({
  release,
  frozen,
  document,
  changelog,
}: Compared): string[] => {
  const [since = '', ...rest] = changelog.split(`\n## [${release}]`);
  if (rest.length === 0) return [`CHANGELOG.md has no section [${release}].`];
  const listed = since
    .split(/^(?=##)/m)
    .filter((section) => section.startsWith('### Security'))
    .join()
    .replaceAll(/\s+/g, ' ');
  const breaks = findBreaks(JSON.parse(frozen), JSON.parse(document)).filter(
    (sentence) => !listed.includes(sentence),
  );
  const isSilent = frozen !== document && !/^- /m.test(since);
  return isSilent
    ? [...breaks, `openapi.json has changed since ${release}: describe the change in CHANGELOG.md.`]
    : breaks;
};
