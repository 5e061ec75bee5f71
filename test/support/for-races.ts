import type { FleetOptions } from '../../lib/local/lambda/fleet.ts';

/** More instances than a small machine serves best, so that requests meet. */
export const forRaces: FleetOptions = { maximum: 8 };
