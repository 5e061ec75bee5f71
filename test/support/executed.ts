import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mappingsOf } from './source-map.ts';
import { type Statement, statementsOf } from './statements.ts';

/** One of the files that V8 writes for a thread or process (Node.js, "NODE_V8_COVERAGE"). */
interface RawCoverage {
  readonly result: readonly ScriptCoverage[];
  readonly 'source-map-cache'?: Readonly<Record<string, CachedSourceMap>>;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface CachedSourceMap {
  readonly lineLengths: readonly number[];
  readonly data: {
    readonly sources: readonly string[];
    readonly sourcesContent: readonly string[];
    readonly mappings: string;
  };
}

/** A place in a bundle and the place in a source that it was made from, both as offsets. */
interface Place {
  readonly generated: number;
  readonly source: string;
  readonly original: number;
}

/** The statements of a source file that are in some bundle, and those of them that ran. */
export interface Executed {
  readonly statements: readonly Statement[];
  readonly ran: readonly Statement[];
  readonly text: string;
}

/**
 * What has run of the sources that `isWanted`, by their URL. It is looked up where each statement
 * went in the bundles: whatever a bundler left out is not counted, whatever it has put into several
 * bundles has run if it ran in one of them.
 */
export const executedIn = (
  rawDirectory: string,
  isWanted: (source: string) => boolean,
): Map<string, Executed> => {
  const texts = new Map<string, string>();
  const places = new Map<string, Place[]>();
  const counts = new Map<string, Map<number, number>>();
  for (const name of readdirSync(rawDirectory)) {
    const raw: RawCoverage = JSON.parse(readFileSync(join(rawDirectory, name), 'utf8'));
    for (const { url, functions } of raw.result) {
      const map = raw['source-map-cache']?.[url];
      if (!map || !url.endsWith('.mjs')) continue;
      const known = places.get(url) ?? placesIn(map, isWanted, texts);
      places.set(url, known);
      countAt(known, functions, counts);
    }
  }
  return new Map(
    [...texts].map(([source, text]) => [source, executed(text, counts.get(source) ?? new Map())]),
  );
};

const placesIn = (
  { lineLengths, data }: CachedSourceMap,
  isWanted: (source: string) => boolean,
  texts: Map<string, string>,
): Place[] => {
  // A line's length is without the character that ends it.
  const generatedLines = startsOfLines(lineLengths);
  const wanted = data.sources.map((source, index) => {
    const text = data.sourcesContent[index];
    if (text === undefined || !isWanted(source)) return undefined;
    texts.set(source, text);
    return { source, lines: startsOfLines(text.split('\n').map(({ length }) => length)) };
  });
  const places: Place[] = [];
  for (const mapping of mappingsOf(data.mappings)) {
    const of = wanted[mapping.source];
    if (!of) continue;
    places.push({
      generated: (generatedLines[mapping.line] ?? 0) + mapping.column,
      source: of.source,
      original: (of.lines[mapping.originalLine] ?? 0) + mapping.originalColumn,
    });
  }
  return places.sort((a, b) => a.generated - b.generated);
};

const startsOfLines = (lengths: readonly number[]): number[] => {
  let next = 0;
  return lengths.map((length) => {
    const start = next;
    next += length + 1;
    return start;
  });
};

/** Adds how often each place ran. Ranges are nested, and the innermost one counts. */
const countAt = (
  places: readonly Place[],
  functions: ScriptCoverage['functions'],
  counts: Map<string, Map<number, number>>,
): void => {
  const ranges = functions
    .flatMap((each) => each.ranges)
    .sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  const ran = new Array<number>(places.length).fill(0);
  for (const { startOffset, endOffset, count } of ranges) {
    for (let index = firstFrom(places, startOffset); index < places.length; index++) {
      if ((places[index]?.generated ?? endOffset) >= endOffset) break;
      ran[index] = count;
    }
  }
  for (const [index, { source, original }] of places.entries()) {
    const ofSource = counts.get(source) ?? new Map<number, number>();
    counts.set(source, ofSource);
    ofSource.set(original, (ofSource.get(original) ?? 0) + (ran[index] ?? 0));
  }
};

const firstFrom = (places: readonly Place[], offset: number): number => {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.generated ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** A statement ran if the first place in it that is in a bundle did. */
const executed = (text: string, counts: ReadonlyMap<number, number>): Executed => {
  const originals = [...counts.keys()].sort((a, b) => a - b);
  const firstPlace = ({ from, end }: Statement) =>
    originals.find((original) => original >= from && original < end);
  const statements = statementsOf(text).filter((each) => firstPlace(each) !== undefined);
  const ran = statements.filter((each) => (counts.get(firstPlace(each) ?? -1) ?? 0) > 0);
  return { statements, ran, text };
};
