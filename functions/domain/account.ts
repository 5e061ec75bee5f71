import * as z from 'zod/mini';
import { AccountId, Timestamp } from './identifiers.ts';
import { storedText } from './text.ts';

/** A company. It owns workspaces, and its managers approve for all of them. */
export const Account = z.object({ id: AccountId, name: storedText(1, 255), created: Timestamp });
export type Account = z.infer<typeof Account>;
