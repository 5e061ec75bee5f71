import { z } from 'zod';
import { arn, busName, ruleArn } from '../aws-account.ts';
import { type Operations, startJsonServer } from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';
import { ServiceError } from '../server/service-error.ts';
import { QueueArn } from '../sqs/queues.ts';
import type { EventBuses } from './event-buses.ts';
import { compilePattern } from './event-pattern.ts';

const BusName = z.string().default('default').transform(busName);

/** In the wire form: times are in seconds since the epoch. */
const Time = z.number().transform((seconds) => seconds * 1000);

const Entry = z.object({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  Resources: z.array(z.string()).default([]),
  Time: Time.optional(),
  EventBusName: BusName,
});

const PutEvents = z.object({ Entries: z.array(Entry).min(1).max(10) });
const PutRule = z.object({
  Name: z.string(),
  EventBusName: BusName,
  EventPattern: z.string(),
});
const PutTargets = z.object({
  Rule: z.string(),
  EventBusName: BusName,
  Targets: z.array(z.object({ Arn: QueueArn })),
});
const OfRule = z.object({ Rule: z.string(), EventBusName: BusName });
const DeleteRule = z.object({ Name: z.string(), EventBusName: BusName });
const StartReplay = z.object({
  ReplayName: z.string(),
  EventSourceArn: z.string(),
  EventStartTime: Time,
  EventEndTime: Time,
  Destination: z.object({ Arn: z.string(), FilterArns: z.array(z.string()).optional() }),
});
const DescribeReplay = z.object({ ReplayName: z.string() });

/**
 * An EventBridge with the actions that put events, replay them, and add and remove a rule; the
 * other rules are the template's ("Actions" in the EventBridge API reference).
 */
export const startEventBridgeServer = (
  buses: EventBuses,
  log?: (line: string) => void,
): Promise<Listener> => {
  const operations: Operations = {
    'AWSEvents.PutEvents': reading(PutEvents, ({ Entries }) => {
      const results = Entries.map((entry) => put(buses, entry));
      return {
        FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length,
        Entries: results,
      };
    }),
    'AWSEvents.PutRule': reading(PutRule, ({ Name, EventBusName, EventPattern }) => {
      const matches = compilePattern(JSON.parse(EventPattern));
      const rule = { name: Name, bus: EventBusName, matches, targets: [] };
      buses.setRule(rule);
      return { RuleArn: ruleArn(rule) };
    }),
    'AWSEvents.PutTargets': reading(PutTargets, ({ Rule, EventBusName, Targets }) => {
      const rule = buses.rule(EventBusName, Rule);
      buses.setRule({ ...rule, targets: Targets.map(({ Arn }) => ({ queue: Arn })) });
      return { FailedEntryCount: 0, FailedEntries: [] };
    }),
    'AWSEvents.RemoveTargets': reading(OfRule, ({ Rule, EventBusName }) => {
      buses.setRule({ ...buses.rule(EventBusName, Rule), targets: [] });
      return { FailedEntryCount: 0, FailedEntries: [] };
    }),
    'AWSEvents.DeleteRule': reading(DeleteRule, ({ Name, EventBusName }) => {
      buses.deleteRule(EventBusName, Name);
      return {};
    }),
    'AWSEvents.StartReplay': reading(StartReplay, (input) => {
      const { ReplayName, Destination, EventSourceArn, EventStartTime, EventEndTime } = input;
      buses.replay({
        name: ReplayName,
        archive: EventSourceArn.split('archive/').at(-1) ?? '',
        fromMs: EventStartTime,
        toMs: EventEndTime,
        ...(Destination.FilterArns && {
          rules: Destination.FilterArns.map((each) => each.split('/').at(-1) ?? ''),
        }),
      });
      // On AWS it has only begun by then.
      return { ReplayArn: arn('events', `replay/${ReplayName}`), State: 'STARTING' };
    }),
    'AWSEvents.DescribeReplay': reading(DescribeReplay, ({ ReplayName }) => ({
      ReplayName: buses.findReplay(ReplayName).name,
      State: 'COMPLETED',
    })),
  };
  return startJsonServer(operations, { log });
};

/** @throws ServiceError `ValidationException` */
const reading =
  <Input>(schema: z.ZodType<Input>, operate: (input: Input) => object) =>
  (input: unknown): object => {
    const { success, data, error } = schema.safeParse(input);
    if (!success) throw new ServiceError('ValidationException', z.prettifyError(error));
    return operate(data);
  };

/**
 * AWS rejects a source that begins with `aws.` (NotAuthorizedForSource), since only its own
 * services do that. Here it is accepted, for events that the local services do not publish, such as
 * a transient bounce of SES.
 */
const put = (buses: EventBuses, entry: z.infer<typeof Entry>): object => {
  const { Source, DetailType, Detail, Resources, Time, EventBusName } = entry;
  if (!Source) return invalid('Source', 'Source is a required argument.');
  if (!DetailType) return invalid('DetailType', 'DetailType is a required argument.');
  if (!Detail) return invalid('Detail', 'Detail is a required argument.');
  if (!buses.has(EventBusName)) return invalid('EventBusName', `${EventBusName} does not exist.`);
  const detail = parse(Detail);
  if (detail === undefined) {
    return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  }
  return {
    EventId: buses.put({
      bus: EventBusName,
      source: Source,
      detailType: DetailType,
      detail,
      resources: Resources,
      timeMs: Time,
    }),
  };
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
