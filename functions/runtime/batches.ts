/** SendMessageBatch and PutEvents take ten at most (Amazon SQS and EventBridge API References). */
const batchSize = 10;

/** The items in their order, as many at a time as one call takes. */
export const batchesOf = <Each>(items: readonly Each[]): Each[][] =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  );
