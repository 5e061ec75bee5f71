import { inspect } from 'node:util';
import type { Stages } from '../../lib/stack/stage-settings.ts';
import { AdminError } from './admin-error.ts';

/**
 * Imports bin/stages.ts, which somebody edits: a static import would report a mistake in it with a
 * stack trace, also to commands that need no stage.
 *
 * @throws AdminError when it is no module with `stages`
 */
export const importStages = async (): Promise<Stages> => {
  const { stages } = await import('../stages.ts').catch((error: unknown) => {
    const message = error instanceof Error ? error.message : inspect(error);
    throw new AdminError(`bin/stages.ts has a mistake, which \`npx tsc\` locates: ${message}.`);
  });
  if (!stages) throw new AdminError('bin/stages.ts has no `export const stages`.');
  return stages;
};
