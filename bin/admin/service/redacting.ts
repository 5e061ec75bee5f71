import { setTimeout as sleep } from 'node:timers/promises';
import { longestRequestMs } from '../table/redact-workspace.ts';
import { type Tally, totalOf } from '../table/tally.ts';
import { countOf } from '../terminal/print.ts';

/** The pause of a redaction, until the requests have ended that may have read the data. */
export const waitForRequests = (): Promise<void> => {
  console.error(`Waiting ${longestRequestMs / 1000} seconds for requests in progress.`);
  return sleep(longestRequestMs);
};

/** What an import or a restore reports of what it has redacted in the table. */
export const redactedText = (redacted: Tally): string[] => {
  const total = totalOf(redacted);
  return total > 0 ? [`${countOf(total, 'record')} redacted.`] : [];
};

/** Reports what it has found and could not redact: the command then ends with 1. */
export const reportUnredacted = (found: Tally): void => {
  const total = totalOf(found);
  if (total === 0) return;
  const what = `${countOf(total, 'record')} cannot be redacted yet`;
  console.error(`${what}: \`redact --workspace <id>\` lists why, and continues later.`);
  process.exitCode = 1;
};
