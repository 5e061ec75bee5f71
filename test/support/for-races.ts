import type { FleetOptions } from '../../lib/local/local-engine.ts';

/** More instances than a small machine serves best, so that requests meet. */
export const forRaces: FleetOptions = { maximum: 14 };
