/** What an event source calls: a LambdaFunction, or a stand-in in a test. */
export interface InvocationTarget {
  readonly name: string;
  readonly invoke: (event: unknown) => Promise<unknown>;
}

/** One invocation by an event source, as the local run prints it. */
export interface BatchLog {
  /** The queue, or the table whose stream it is. */
  readonly source: string;
  readonly functionName: string;
  /** Message ids of a queue, sequence numbers of a stream; empty if the source is unreadable. */
  readonly messageIds: string[];
  /** What each message is about, by its id. */
  readonly subjects: ReadonlyMap<string, string>;
  /** The ones that will be tried again, in the order of the batch. */
  readonly failed: string[];
  readonly durationMs: number;
  readonly error?: string;
}

export interface EventSource {
  /** Resolves when the batches under way have ended; stop the function as well to end them soon. */
  readonly stop: () => Promise<void>;
}

/** Runs what feeds a function until the signal aborts. */
export const startSource = (run: (signal: AbortSignal) => Promise<void>): EventSource => {
  const stopping = new AbortController();
  const ended = run(stopping.signal);
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
};

/**
 * Invokes the target with `{ Records: [...] }` and returns what failed: nothing, what the function
 * reported, or everything when it failed or its report is invalid. Never rejects.
 *
 * @param records in order, by the identifier that a batchItemFailures entry would name
 * @param subjects what each record is about, for the log
 */
export const invokeBatch = async (
  source: string,
  target: InvocationTarget,
  records: ReadonlyMap<string, object>,
  subjects: ReadonlyMap<string, string>,
): Promise<BatchLog> => {
  const messageIds = [...records.keys()];
  const startedAt = performance.now();
  const log = (failed: string[], error?: unknown): BatchLog => ({
    source,
    functionName: target.name,
    messageIds,
    subjects,
    failed,
    durationMs: Math.round(performance.now() - startedAt),
    ...(error !== undefined && { error: String(error) }),
  });
  try {
    const response = await target.invoke({ Records: [...records.values()] });
    const failed = reportedFailures(response, records);
    return log(messageIds.filter((id) => failed.has(id)));
  } catch (error) {
    return log(messageIds, error);
  }
};

// "Lambda treats a batch as a complete failure" for an identifier that is empty, null or misspelt
// ("Using Lambda with Amazon SQS": reporting batch item failures). Trusting the rest of such a
// response would delete messages that the function meant to keep.
const reportedFailures = (
  response: unknown,
  records: ReadonlyMap<string, object>,
): Set<unknown> => {
  const { batchItemFailures } = (response ?? {}) as { batchItemFailures?: unknown };
  if (batchItemFailures === undefined || batchItemFailures === null) return new Set();
  if (!Array.isArray(batchItemFailures)) throw new Error('batchItemFailures is not a list');
  return new Set(
    batchItemFailures.map((failure) => {
      const identifier = failure?.itemIdentifier;
      if (!records.has(identifier)) {
        throw new Error(`batchItemFailures names ${JSON.stringify(identifier)}, not in the batch`);
      }
      return identifier;
    }),
  );
};
