import type { Bar } from './cold-starts.ts';
import { figure } from './markdown-table.ts';

const width = 860;
const labelsWidth = 300;
const figuresWidth = 130;
const barHeight = 18;
const rowHeight = 26;
const headingHeight = 40;
const margin = 16;

const groups = {
  floor: { heading: 'The SDK alone, one GetItem', colour: '#7d8590' },
  functions: { heading: 'Our functions, as they are deployed', colour: '#2f6fdb' },
  trims: { heading: 'One of them, without each trim', colour: '#c77d1a' },
} as const;

/**
 * Bars with their quartiles, and a line where the floor is; as SVG that needs no font of its own.
 */
export const chartOf = (bars: readonly Bar[]): string => {
  const floorMs = bars.find(({ group }) => group === 'floor')?.totalMs.median ?? 1;
  const longestMs = Math.max(...bars.map(({ totalMs }) => totalMs.upper));
  const x = (ms: number) =>
    Number(
      (labelsWidth + ((width - labelsWidth - figuresWidth - margin) * ms) / longestMs).toFixed(1),
    );
  let y = margin + 24;
  const parts: string[] = [];
  for (const [group, { heading, colour }] of Object.entries(groups)) {
    parts.push(text(margin, y + 18, heading, 'font-weight="600"'));
    y += headingHeight - 10;
    for (const { name, totalMs } of bars.filter((bar) => bar.group === group)) {
      const middle = y + barHeight / 2;
      parts.push(
        text(labelsWidth - 10, middle + 4, name, 'text-anchor="end"'),
        `<rect x="${x(0)}" y="${y}" width="${(x(totalMs.median) - x(0)).toFixed(1)}" height="${barHeight}" fill="${colour}"/>`,
        `<path d="M${x(totalMs.lower)} ${middle}H${x(totalMs.upper)}" stroke="#1f2328" stroke-width="2"/>`,
        text(
          x(totalMs.upper) + 10,
          middle + 4,
          `${figure(totalMs.median)} ms · ${(totalMs.median / floorMs).toFixed(2)}×`,
        ),
      );
      y += rowHeight;
    }
    y += 8;
  }
  const title = 'Cold starts: loading the module and the first invocation, median and quartiles';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + margin}" role="img" aria-label="${title}" font-family="system-ui, sans-serif" font-size="13" fill="#1f2328">
<rect width="100%" height="100%" rx="8" fill="#ffffff"/>
${text(margin, margin + 12, title, 'font-size="15" font-weight="600"')}
${parts.join('\n')}
<path d="M${x(floorMs)} ${margin + 28}V${y}" stroke="#7d8590" stroke-dasharray="4 4"/>
</svg>
`;
};

const text = (x: number, y: number, content: string, more = '') =>
  `<text x="${x}" y="${y}"${more && ` ${more}`}>${content}</text>`;
