/** The partitions of the table that functions write. */
export type Partition =
  | 'paymentRequests'
  | 'offers'
  | 'workspaces'
  | 'testWorkspaces'
  | 'testAccounts'
  | 'claims';

export interface TableAccess {
  readonly reads: readonly ('GetItem' | 'Query')[];
  /** The partitions that it creates items in. */
  readonly creates?: readonly Partition[];
  /** The partitions whose items a transaction checks and does not write. */
  readonly checks?: readonly Partition[];
  /** The partitions whose items it updates, and each attribute that such a write names. */
  readonly updates?: { readonly in: readonly Partition[]; readonly attributes: readonly string[] };
  /** Whether it keeps claims and Powertools' records, which alone may be deleted. */
  readonly claims?: boolean;
}
