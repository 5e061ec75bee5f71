import { expect, test } from 'vitest';
import { cases } from '../interleave/cases.ts';
import { mutantNames, unfound } from '../interleave/mutants.ts';
import { readResults, schedulesPage } from '../interleave/results.ts';

const { results, page } = readResults();

test('every case and every bug has been run, and only the bugs that no case contains were missed', () => {
  const missed = Object.entries(results.bugs).filter(([, { line }]) => line === undefined);
  expect(Object.keys(results.cases).sort()).toEqual(cases.map(({ name }) => name).sort());
  expect(Object.keys(results.bugs).sort()).toEqual([...mutantNames].sort());
  expect(missed.map(([name]) => name).sort()).toEqual([...unfound].sort());
});

test('SCHEDULES.md is the page of results.json', () => {
  expect(page).toBe(schedulesPage(results));
});
