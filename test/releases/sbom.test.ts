import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { Metafile } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { bundleFunction } from '../../lib/bundles/bundles.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { billOfMaterials } from './sbom.ts';

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const lock = json('package-lock.json');

let metafiles: readonly Metafile[];
// biome-ignore lint/suspicious/noExplicitAny: the schema says what it is.
let bom: any;
beforeAll(async () => {
  const directory = temporaryDirectory();
  metafiles = await Promise.all(
    ['approve-payment-request', 'deliver-offer', 'validate-versions'].map((name) =>
      bundleFunction(name, `${directory}/${name}`),
    ),
  );
  bom = JSON.parse(billOfMaterials(metafiles, lock));
});

test('the bill of materials is valid CycloneDX', () => {
  const schema = (file: string) =>
    json(`node_modules/@cyclonedx/cyclonedx-library/res/schema/${file}`);
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs']) {
    const file = `${name}.SNAPSHOT.schema.json`;
    ajv.addSchema(schema(file), `http://cyclonedx.org/schema/${file}`);
  }
  const isValid = ajv.compile(schema('bom-1.7.SNAPSHOT.schema.json'));
  isValid(bom);
  expect(isValid.errors).toBeNull();
  expect(isValid({ ...bom, components: [{ type: 'code' }] })).toBe(false);
});

test('the bill of materials has every package that has code in a bundle, and no other', () => {
  const named = bom.components.map(
    ({ group, name, version }: Record<string, string>) =>
      `${group ? `${group}/` : ''}${name}@${version}`,
  );
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.entries(output.inputs)),
  );
  const installed = inputs
    .filter(([path, { bytesInOutput }]) => path.includes('node_modules/') && bytesInOutput > 0)
    .map(([path]) => /^.*node_modules\/(?:@.*?\/)?.*?\//.exec(path)?.[0])
    .map((folder) => json(`${folder}package.json`))
    .map(({ name, version }) => `${name}@${version}`);
  expect(named.sort()).toEqual([...new Set(installed)].sort());
  expect(named.length).toBeGreaterThan(20);
  expect(named.join()).not.toMatch(/cdk|constructs|esbuild|commander/);
});

test('the bill of materials gives the hash and the license of a package', () => {
  const { integrity, license, version } = lock.packages['node_modules/@middy/core'];
  const purl = `pkg:npm/%40middy/core@${version}`;
  const [hash] = bom.components.find((each: { purl: string }) => each.purl === purl).hashes;
  expect(`sha512-${Buffer.from(hash.content, 'hex').toString('base64')}`).toBe(integrity);
  expect(JSON.stringify(bom)).toContain(JSON.stringify({ license: { id: license } }));
});

test('a package that the lock file lacks is an error', () => {
  expect(() => billOfMaterials(metafiles, { ...lock, packages: {} })).toThrow('package-lock.json');
});
