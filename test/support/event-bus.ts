import { json } from 'node:stream/consumers';
import { Event } from '../../functions/domain/events.ts';
import { serverOf } from './servers.ts';

interface Entry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Time: number;
  readonly Detail: string;
}

/** A bus for the functions of one test, which accepts entries while `accepts` is true. */
export const startBus = async () => {
  const entries: Entry[] = [];
  const calls: number[] = [];
  const bus = { accepts: true };
  const url = await serverOf(async (request, response) => {
    const { Entries } = (await json(request)) as { Entries: Entry[] };
    calls.push(Entries.length);
    entries.push(...Entries);
    const result = bus.accepts ? { EventId: 'bus' } : { ErrorCode: 'ThrottlingException' };
    response
      .setHeader('Content-Type', 'application/x-amz-json-1.1')
      .end(JSON.stringify({ Entries: Entries.map(() => result) }));
  });
  const events = () => entries.map(({ Detail }) => Event.parse(JSON.parse(Detail)));
  const environment = { AWS_ENDPOINT_URL_EVENTBRIDGE: url };
  return Object.assign(bus, { environment, entries, calls, events });
};
