/**
 * Starts one function in a process of its own, as Lambda does: loads the bundle and responds to a
 * first event. `node cold-start-process.mjs BUNDLE EVENT`, with the event as JSON; what came of it
 * is written as JSON to file descriptor 3, apart from the function's log.
 *
 * The time runs from the import to the response. That Node itself starts before is the same for
 * all.
 */

/**
 * Not imported: that loads file streams and more, which a function then finds loaded. Lambda's own
 * runtime requires what it needs of Node (aws/aws-lambda-nodejs-runtime-interface-client,
 * cjs-require.ts).
 */
const { writeSync } = process.getBuiltinModule('node:fs');

/** What a cold start cost, and the response that it gave. */
export interface ColdStart {
  readonly totalMs: number;
  readonly response: unknown;
}

const [bundle = '', text = '{}'] = process.argv.slice(2);
const event = JSON.parse(text);
const context = {
  awsRequestId: 'cold-start',
  functionName: 'cold-start',
  memoryLimitInMB: '1024',
  getRemainingTimeInMillis: () => 10_000,
};

const begin = performance.now();
const { handler } = await import(bundle);
const response = await handler(event, context);
const coldStart: ColdStart = { totalMs: performance.now() - begin, response };
writeSync(3, JSON.stringify(coldStart));
// Connections are kept open; Lambda would freeze the process now.
process.exit();
