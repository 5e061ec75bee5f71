import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { bundleFunction, functionNames } from '../../lib/bundles.ts';
import { newDirectory } from './bundling.ts';
import type { Part, Row } from './row.ts';
import { exactly } from './spread.ts';

/** How large the deployed modules are, without their source maps: what a cold start reads. */
export const bundles: Part = {
  name: 'bundles',
  measure: async (bench) => {
    bench.progress('bundles: sizes');
    const rows: Row[] = [];
    for (const name of functionNames) {
      const metafile = await bundleFunction(name, newDirectory());
      const modules = Object.keys(metafile.outputs).filter((path) => path.endsWith('.mjs'));
      const atOnce = loadedAtOnce(metafile, modules);
      const later = modules.filter((path) => !atOnce.has(path));
      const [raw, gzip] = [kilobytes([...atOnce]), kilobytes([...atOnce], gzipSync)];
      rows.push(
        { what: `Bundle: ${name}`, measured: exactly(raw), unit: 'KB', target: { most: 280 } },
        {
          what: `Bundle, compressed: ${name}`,
          measured: exactly(gzip),
          unit: 'KB',
          target: { most: 90 },
        },
      );
      if (later.length > 0) {
        rows.push({
          what: `Loaded with the first key: ${name}`,
          measured: exactly(kilobytes(later)),
          unit: 'KB',
          target: { most: 60 },
        });
      }
    }
    return rows;
  },
};

/** The modules that are loaded with `index.mjs`, and not when one comes to need them. */
const loadedAtOnce = ({ outputs }: Metafile, modules: readonly string[]): Set<string> => {
  const loaded = new Set(modules.filter((path) => path.endsWith('/index.mjs')));
  for (const path of loaded) {
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && !external) loaded.add(imported);
    }
  }
  return loaded;
};

const kilobytes = (paths: readonly string[], compress = (bytes: Buffer): Buffer => bytes) =>
  paths.reduce((sum, path) => sum + compress(readFileSync(join(root, path))).length, 0) / 1024;

/** Paths in the metafile are relative to it. */
const root = join(import.meta.dirname, '../..');
