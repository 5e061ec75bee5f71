import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { documents, table } from '../../functions/store/client.ts';
import { type ServiceCall, Services } from './calls.ts';
import type { Item } from './case.ts';
import type { Run } from './explore.ts';

/** Sees the items that each call writes, before and after it. */
export class WatchedServices extends Services {
  readonly seen = new Map<ServiceCall, readonly [readonly Item[], readonly Item[]]>();

  override async perform(call: ServiceCall) {
    const before = await itemsOf(call);
    const reply = await super.perform(call);
    this.seen.set(call, [before, await itemsOf(call)]);
    return reply;
  }
}

const itemsOf = async ({ footprint = [] }: ServiceCall): Promise<Item[]> => {
  const Keys = footprint.filter(({ writes }) => writes).map(({ pk, from: sk }) => ({ pk, sk }));
  if (Keys.length === 0) return [];
  const command = new BatchGetCommand({
    RequestItems: { [table()]: { Keys, ConsistentRead: true } },
  });
  const { Responses = {} } = await documents.send(command);
  return Responses[table()] ?? [];
};

/** A schedule as a sequence diagram of Mermaid: calls, replies, and the items that they changed. */
export const diagramOf = ({ steps, tries }: Run, { seen }: WatchedServices): string => {
  const tasks = [...new Set(steps.map(({ task }) => task))]
    .filter((task) => task !== 'time')
    .sort();
  const lines = steps.flatMap(({ name, task, ending, call, reply }) => {
    if (!call) return [`Note over ${tasks.at(0)},DynamoDB: time passes`];
    const to = { dynamodb: 'DynamoDB', sqs: 'SQS', events: 'EventBridge', ses: 'SES' }[
      call.service
    ];
    const about = [...new Set((call.footprint ?? []).map(({ from }) => plain(from)))].join(', ');
    const sent = `${name} ${call.operation} ${about}`.trim();
    switch (ending) {
      case 'done': {
        const status = reply?.statusCode === 200 ? 'done' : plain(errorIn(reply?.body));
        const back = name.endsWith('~') ? [] : [`${to}-->>${task}: ${status}`];
        return [`${task}->>${to}: ${sent}`, ...back, ...changesOf(call, seen)];
      }
      case 'refused':
      case 'partly':
        return [`${task}->>${to}: ${sent}`, `${to}--x${task}: refused`];
      case 'dropped':
        return [`${task}-x${to}: ${sent} is lost`];
      default:
        return [`${task}-x${to}: ${sent}`, `Note over ${task}: ${words[ending]}`];
    }
  });
  return [
    'sequenceDiagram',
    ...tasks.map((task) => `participant ${task}`),
    'participant DynamoDB',
    ...lines,
    ...tries
      .filter(({ letter }) => tasks.includes(letter))
      .map(({ letter, status, text }) => `Note over ${letter}: ${plain(`${status} ${text}`)}`),
  ].join('\n  ');
};

const words = {
  lost: 'the connection broke',
  killed: 'the function was killed',
  late: 'the time of the function is over',
} as const;

const changesOf = (call: ServiceCall, seen: WatchedServices['seen']): string[] => {
  const [before = [], after = []] = seen.get(call) ?? [];
  const at = (items: readonly Item[], { pk, sk }: Item) =>
    items.find((item) => item.pk === pk && item.sk === sk);
  const places = [...after, ...before.filter((item) => !at(after, item))];
  return places.flatMap((place) => {
    const [old, now] = [at(before, place), at(after, place)];
    const changed = Object.keys({ ...old, ...now }).filter(
      (name) =>
        ['status', 'attempts', 'lease_ends', 'revoked', 'result'].includes(name) &&
        JSON.stringify(old?.[name]) !== JSON.stringify(now?.[name]),
    );
    const values = changed.map((name) => `${name} ${value(old?.[name])} → ${value(now?.[name])}`);
    const what = now ? (old ? values.join(', ') : `new, ${values.join(', ')}`) : 'deleted';
    return changed.length > 0 || !old || !now
      ? [`Note over DynamoDB: ${plain(String(place.sk))}: ${what}`]
      : [];
  });
};

const value = (given: unknown): string =>
  given === undefined
    ? 'none'
    : plain(typeof given === 'object' ? JSON.stringify(given) : `${given}`);

/** `;` and `#` have a meaning in Mermaid. Identifiers and answers are cut. */
const plain = (text: string): string => {
  const cut = text.replaceAll(/[0-9A-HJKMNP-TV-Z]{20}(?=[0-9A-HJKMNP-TV-Z]{6})/g, '…');
  return (cut.length > 160 ? `${cut.slice(0, 160)}…` : cut).replaceAll(/[;#]/g, ' ');
};

const errorIn = (body: Uint8Array | undefined): string => {
  const {
    __type = '',
    Item,
    CancellationReasons = [],
  } = JSON.parse(Buffer.from(body ?? []).toString());
  const reasons = CancellationReasons.map(({ Code }: { Code: string }) => Code).join(', ');
  const there = Item ? ` (there is ${unmarshall(Item).status})` : '';
  return `${__type.split('#').at(-1)}${reasons && `: ${reasons}`}${there}`;
};
