import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { Metafile } from 'esbuild';

/** What is read of package-lock.json. */
export interface Lock {
  readonly version: string;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
}

/** The packages that have code in a bundle, by their paths in the lock file. */
const bundledPackages = ({ outputs }: Metafile): string[] => {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const paths = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(paths)].sort();
};

/**
 * The software bill of materials of the functions' bundles, as CycloneDX 1.7 in JSON.
 *
 * @throws Error when the lock file lacks a package, or its version, license or hash
 */
export const billOfMaterials = (metafiles: readonly Metafile[], lock: Lock): string => {
  const application = new Models.Component(Enums.ComponentType.Application, 'workforce-payments', {
    version: lock.version,
    bomRef: 'workforce-payments',
  });
  const timestamp = new Date();
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ timestamp, component: application }),
  });
  for (const path of new Set(metafiles.flatMap(bundledPackages))) {
    const component = componentOf(path, lock.packages[path] ?? {});
    bom.components.add(component);
    application.dependencies.add(component.bomRef);
  }
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot7);
  const serializer = new Serialize.JsonSerializer(factory);
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
};

const componentOf = (path: string, { version, license, integrity }: LockedPackage) => {
  const [, algorithm, hash = ''] = /^(sha512)-(.+)$/.exec(integrity ?? '') ?? [];
  if (!version || !license || !algorithm) throw new Error(`package-lock.json lacks ${path}.`);
  const [group, name = ''] = path.split('node_modules/').at(-1)?.split('/') ?? [];
  const purl = `pkg:npm/${name ? `${encodeURIComponent(group ?? '')}/${name}` : group}@${version}`;
  return new Models.Component(Enums.ComponentType.Library, name || (group ?? ''), {
    ...(name && { group }),
    version,
    bomRef: purl,
    purl,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense(license)]),
    hashes: new Models.HashDictionary([
      [Enums.HashAlgorithm['SHA-512'], Buffer.from(hash, 'base64').toString('hex')],
    ]),
  });
};
