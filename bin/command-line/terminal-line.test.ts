import { expect, test } from 'vitest';
import { TerminalLine } from './terminal-line.ts';

test.each([
  [10, '[###---] 5'],
  // A terminal that does not report its width.
  [0, '[###---] 50 %'],
])('a terminal of %i columns shows as much of a line', (columns, shown) => {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  const line = new TerminalLine({ isTTY: true, columns, write } as NodeJS.WriteStream);

  line.show('[###---] 50 %');

  expect(written).toEqual([`\r\x1b[K${shown}`]);
});
