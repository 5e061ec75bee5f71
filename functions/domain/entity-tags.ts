import { printable } from './text.ts';

/**
 * An element of a list of entity tags (RFC 9110, sections 5.6.1 and 8.8.3), which may be empty.
 * Each character can be matched in one way only.
 */
const element = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*")[ \t]*)?(?:,|$)/gy;

/**
 * The entity tags of an If-Match (RFC 9110, section 13.1.1), sorted and each once: the same set for
 * every way in which a client writes them or a proxy joins its lines.
 *
 * @returns `['*']` for any; undefined if it is neither that nor a list of tags
 */
export const entityTags = (value: string): string[] | undefined => {
  if (/^[ \t]*\*[ \t]*$/.test(value)) return ['*'];
  const elements = [...value.matchAll(element)];
  const length = elements.reduce((sum, [text]) => sum + text.length, 0);
  const tags = elements.flatMap(([, tag]) => tag ?? []);
  return length === value.length && tags.length > 0 ? [...new Set(tags)].sort() : undefined;
};

/** Whether one of the tags is that of a version. The comparison is strong: a weak tag is none. */
export const nameVersion = (tags: readonly string[], version: number | undefined): boolean =>
  tags.includes('*') || (version !== undefined && tags.includes(`"${version}"`));

/**
 * The beginning of these tags, to be shown, if none of them has the form of a version: a client
 * that loads the record again sends the like of them again.
 */
export const misspeltTags = (tags: readonly string[]): string | undefined =>
  tags.some((tag) => /^"(0|[1-9]\d*)"$/.test(tag))
    ? undefined
    : printable(tags.join(', ').slice(0, 40));
