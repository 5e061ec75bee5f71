/**
 * Measures what the middlewares take: `node middleware-process.ts BUNDLE EVENT ROUNDS`, with the
 * log going nowhere. Sends the CPU time of each round to its parent, in microseconds a request.
 */
const [bundle = '', text = '', rounds = ''] = process.argv.slice(2);
const { handler, bare } = await import(bundle);
const event = JSON.parse(text);

/** So many that the clock of the process, in whole microseconds, is fine enough. */
const requests = 1000;
const warmUps = 20;

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

const cpuOf = async (handle: Handler): Promise<number> => {
  const context = { awsRequestId: 'warm', getRemainingTimeInMillis: () => 10_000 };
  const before = process.cpuUsage();
  for (let count = 0; count < requests; count++) await handle(event, context);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
};

const ours: number[] = [];
const floor: number[] = [];
for (let round = 0; round < warmUps + Number(rounds); round++) {
  const [us, least] = [await cpuOf(handler), await cpuOf(bare)];
  if (round < warmUps) continue;
  ours.push(us);
  floor.push(least);
}
process.send?.({
  ours,
  floor,
  answer: await handler(event, { getRemainingTimeInMillis: () => 10_000 }),
});
process.disconnect();
