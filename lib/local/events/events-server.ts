import { z } from 'zod';
import { type Operations, startJsonServer } from '../json-server.ts';
import type { Listener } from '../listen.ts';
import { ServiceError } from '../service-error.ts';
import type { EventBus } from './event-bus.ts';

/** In the wire form: the time is in seconds since the epoch. */
const Entry = z.object({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  Resources: z.array(z.string()).default([]),
  Time: z.number().optional(),
  EventBusName: z.string().default('default'),
});

const PutEvents = z.object({ Entries: z.array(Entry).min(1).max(10) });

/** An EventBridge that answers PutEvents ("PutEvents" in the EventBridge API reference). */
export const startEventsServer = (
  bus: EventBus,
  log?: (line: string) => void,
): Promise<Listener> => {
  const operations: Operations = {
    'AWSEvents.PutEvents': (input) => {
      const { success, data, error } = PutEvents.safeParse(input);
      if (!success) throw new ServiceError('ValidationException', z.prettifyError(error));
      const results = data.Entries.map((entry) => put(bus, entry));
      return {
        FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length,
        Entries: results,
      };
    },
  };
  return startJsonServer(operations, { log });
};

/**
 * AWS refuses whoever names a source that begins with `aws.` (NotAuthorizedForSource), since only its
 * own services do that. Here it is taken: nothing else could stand in for them on this machine.
 */
const put = (bus: EventBus, entry: z.infer<typeof Entry>): object => {
  const { Source, DetailType, Detail, Resources, Time, EventBusName } = entry;
  if (!Source) return invalid('Source', 'Source is a required argument.');
  if (!DetailType) return invalid('DetailType', 'DetailType is a required argument.');
  if (!Detail) return invalid('Detail', 'Detail is a required argument.');
  if (EventBusName !== 'default') return invalid('EventBusName', 'Only the default bus runs here.');
  const detail = parse(Detail);
  if (detail === undefined) {
    return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  }
  const timeMs = Time === undefined ? undefined : Time * 1000;
  const event = { source: Source, detailType: DetailType, detail, resources: Resources, timeMs };
  return { EventId: bus.put(event) };
};

const invalid = (parameter: string, reason: string): object => ({
  ErrorCode: 'InvalidArgument',
  ErrorMessage: `Parameter ${parameter} is not valid. Reason: ${reason}`,
});

/** Undefined unless the text is a JSON object. */
const parse = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
