import { keys } from '../../functions/store/keys.ts';
import { newTenant } from '../testing/tenants.ts';
import { bundleFile } from './bundle-file.ts';
import type { Scenario } from './scenarios.ts';

/** A function as it is deployed, or other code in its place. */
export interface Subject extends Pick<Scenario, 'name' | 'functionName' | 'newEvent'> {
  readonly codeDirectory?: string | undefined;
}

/** Bundles what the scenarios are compared with: floors, which read one item, and peers. */
export const readBases = async (all: readonly Scenario[]): Promise<(of: Scenario) => Subject> => {
  const directories = new Map<string, string>();
  for (const { base } of all) {
    if (!directories.has(base)) directories.set(base, await bundleFile(`${base}.ts`));
  }
  const floorEvent = { key: keys.workspace((await newTenant()).workspace) };
  return ({ base, functionName, newEvent }) => ({
    name: base,
    functionName,
    newEvent: base.startsWith('peer') ? newEvent : async () => floorEvent,
    codeDirectory: directories.get(base),
  });
};
