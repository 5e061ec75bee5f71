import { gzipSync } from 'node:zlib';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { functionNames } from '../../lib/bundles/bundles.ts';
import { bundleLimits, kilobytesOf, newBundle } from '../support/bundle.ts';
import type { Part, Row } from './row.ts';
import { exactly } from './spread.ts';

/** How large the deployed modules are, without their source maps: what a cold start reads. */
export const bundles: Part = {
  name: 'bundles',
  measure: async (bench) => {
    bench.progress('bundles: sizes');
    const rows: Row[] = [];
    for (const name of functionNames) {
      const bundle = await newBundle(name, buildDirectory());
      const row = (what: string, size: number, most: number) =>
        rows.push({
          what: `${what}: ${name}`,
          measured: exactly(size),
          unit: 'KB',
          target: { most },
        });
      const { start, keyed } = bundle;
      row('Bundle', kilobytesOf(bundle, start), bundleLimits.start);
      const compressed = kilobytesOf(bundle, start, gzipSync);
      row('Bundle, compressed', compressed, bundleLimits.compressed);
      if (keyed.length === 0) continue;
      row('Loaded with the first key', kilobytesOf(bundle, keyed), bundleLimits.keyed);
    }
    return rows;
  },
};
