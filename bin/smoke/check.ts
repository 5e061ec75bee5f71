import type { Call } from './call.ts';
import { Skipped } from './failure.ts';
import type { World } from './world.ts';

/** One thing that the smoke test proves. */
export interface Check {
  /** Names it in reports and for `--skip`. */
  readonly name: string;
  /** What it proves, as the end of a sentence. */
  readonly proves: string;
  /**
   * Proves it.
   *
   * @returns a remark for the report, or nothing
   * @throws Failure when the service does not do it, Skipped when that cannot be proven here
   */
  readonly run: (context: Context) => Promise<string | undefined>;
}

/** What a check works with. */
export interface Context {
  readonly call: Call;
  /** A token of a live workspace with every scope. */
  readonly token: string;
  /** Absent where a URL and a token are all that is known. */
  readonly world: World | undefined;
  /** Whether to wait for what takes a minute. */
  readonly full: boolean;
}

/** @throws Skipped when there is only a token */
export const requireWorld = ({ world }: Context): World => {
  if (world) return world;
  throw new Skipped('It needs accounts and data of its own: use --stage or the local run.');
};
