import { expect, test } from 'vitest';
import { cases } from './cases.ts';
import { mutantNames, unfound } from './mutants.ts';
import { readResults } from './results.ts';

const results = readResults();

test('every case and every bug has been run, and only the bugs that no case contains were missed', () => {
  const missed = Object.entries(results.bugs).filter(([, { line }]) => line === undefined);
  expect(Object.keys(results.cases).sort()).toEqual(cases.map(({ name }) => name).sort());
  expect(Object.keys(results.bugs).sort()).toEqual([...mutantNames].sort());
  expect(missed.map(([name]) => name).sort()).toEqual([...unfound].sort());
});
