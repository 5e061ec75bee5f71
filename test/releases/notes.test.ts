import { expect, test } from 'vitest';
import { checkTag, releaseNotes } from './notes.ts';

const changelog = `# Changelog

## [Unreleased]

- Later.

## [1.1.0] - 2027-01-31

### Added

- More ([page](lib/PAGE.md), [site](https://site.example), [below](#below)).

## [1.0.0] - 2026-11-24

## [0.9.0]

- Undated.
`;
const pages = 'https://code.example/blob/v1.1.0/';

test('the notes are the section of the version, with links that lead to its files', () => {
  expect(releaseNotes(changelog, '1.1.0', pages)).toBe(
    `### Added\n\n- More ([page](${pages}lib/PAGE.md), [site](https://site.example), [below](#below)).`,
  );
});

test.each([['1.0.0'], ['0.9.0'], ['2.0.0']])('%s has no notes', (version) => {
  expect(() => releaseNotes(changelog, version, pages)).toThrow('does not describe');
});

test('a tag names the version, which is frozen', () => {
  expect(() => checkTag('v1.1.0', '1.1.0', '1.1.0')).not.toThrow();
  expect(() => checkTag('1.1.0', '1.1.0', '1.1.0')).toThrow('is not the version');
  expect(() => checkTag('v1.1.1', '1.1.0', '1.1.0')).toThrow('is not the version');
  expect(() => checkTag('v1.1.0', '1.1.0', '1.0.0')).toThrow(
    'test/releases has no 1.1.0: run `npm run freeze`.',
  );
});
