import { count } from '../admin/print.ts';
import type { Result } from './run-checks.ts';

const nameWidth = 25;

/** A result as a person reads it. */
export const lineOf = ({ name, proves, outcome, duration_ms, detail }: Result): string => {
  const head = `${outcome.padEnd(7)} ${seconds(duration_ms).padStart(7)}  ${name.padEnd(nameWidth)}`;
  switch (outcome) {
    case 'passed':
      return `${head}  ${proves}${detail ? ` (${detail})` : ''}`;
    case 'skipped':
      return `${head}  ${detail}`;
    case 'failed':
      return `${head}  ${proves}\n${(detail ?? '').replace(/^/gm, '    ')}`;
  }
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** All results in numbers. */
export const totalsOf = (results: readonly Result[]) => {
  const counted = (wanted: Result['outcome']) =>
    results.filter(({ outcome }) => outcome === wanted).length;
  return { passed: counted('passed'), failed: counted('failed'), skipped: counted('skipped') };
};

/** The last line. */
export const summaryOf = (url: string, results: readonly Result[], durationMs: number): string => {
  const { passed, failed, skipped } = totalsOf(results);
  return `${count(results.length, 'check')} of ${url}: ${passed} passed, ${failed} failed, ${skipped} skipped, in ${seconds(durationMs)}.`;
};

/** The results as the XML that CI systems read. */
export const junitOf = (results: readonly Result[], durationMs: number): string => {
  const { failed, skipped } = totalsOf(results);
  const cases = results.map(({ name, proves, outcome, duration_ms, detail = '' }) => {
    const element = { failed: 'failure', skipped: 'skipped', passed: undefined }[outcome];
    const inside = element && `<${element} message="${escaped(detail)}"/>`;
    return `    <testcase classname="smoke.${name}" name="${escaped(proves)}" time="${duration_ms / 1000}">${inside ?? ''}</testcase>`;
  });
  const counts = `tests="${results.length}" failures="${failed}" skipped="${skipped}" time="${durationMs / 1000}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="smoke" ${counts}>
${cases.join('\n')}
  </testsuite>
</testsuites>
`;
};

const escaped = (text: string) =>
  text
    .replace(/[^\P{Cc}\t\n]/gu, ' ')
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
