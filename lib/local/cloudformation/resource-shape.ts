import { z } from 'zod';

/**
 * One type of resource that runs here. Its schema is strict at every level: a property that it does
 * not name is rejected at the start, so none is ignored silently.
 */
export interface ResourceShape<Properties> {
  readonly type: string;
  /** Defaults are CloudFormation's. */
  readonly schema: z.ZodType<Properties>;
}

/** A property that makes no difference on one machine. */
export const withoutEffect = z.unknown().optional();
