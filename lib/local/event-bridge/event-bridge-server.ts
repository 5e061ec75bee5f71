import { arn, busName } from '../aws-account.ts';
import { requireSupported } from '../cloudformation/supported.ts';
import { type Operations, parseJson, startJsonServer } from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';
import type { EventBuses } from './event-buses.ts';
import { compilePattern, isObject } from './event-pattern.ts';

interface Entry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly Resources?: string[];
  /** In seconds since the epoch. */
  readonly Time?: number;
  readonly EventBusName?: string;
}

/**
 * An EventBridge with the actions that put events, and add and remove rules and their targets
 * ("Actions" in the EventBridge API reference).
 */
export const startEventBridgeServer = (
  buses: EventBuses,
  log?: (line: string) => void,
): Promise<Listener> => {
  const done = { FailedEntryCount: 0, FailedEntries: [] };
  const operations: Operations = {
    'AWSEvents.PutEvents': (input: { readonly Entries: readonly Entry[] }) => {
      const Entries = input.Entries.map((entry) => put(buses, entry));
      return { FailedEntryCount: Entries.filter((each) => 'ErrorCode' in each).length, Entries };
    },
    'AWSEvents.PutRule': (input) => {
      requireSupported('Name EventBusName EventPattern State Description RoleArn', input);
      const { Name: name, EventBusName, EventPattern, State } = input;
      const bus = busName(EventBusName);
      const pattern = compilePattern(parseJson(EventPattern));
      buses.putRule({ name, bus, matches: State === 'DISABLED' ? () => false : pattern });
      return { RuleArn: arn('events', `rule/${bus}/${name}`.replace('/default/', '/')) };
    },
    'AWSEvents.PutTargets': ({ Rule, EventBusName, Targets }) => {
      buses.putTargets(busName(EventBusName), Rule, Targets);
      return done;
    },
    'AWSEvents.RemoveTargets': ({ Rule, EventBusName, Ids }) => {
      const { targets } = buses.rule(busName(EventBusName), Rule);
      for (const id of Ids) targets.delete(id);
      return done;
    },
    'AWSEvents.DeleteRule': ({ Name, EventBusName }) =>
      buses.deleteRule(busName(EventBusName), Name),
  };
  return startJsonServer(operations, log);
};

/**
 * What is wrong with an entry does not keep the others back (EventBridge API Reference,
 * PutEventsResultEntry). An event to an unknown bus is accepted, on AWS too, and reaches nobody.
 *
 * AWS rejects a source that begins with `aws.` (NotAuthorizedForSource), since only its own
 * services do that. Here it is accepted, for events that the local services do not publish, such as
 * a transient bounce of SES.
 */
const put = (buses: EventBuses, entry: Entry) => {
  const { Source: source, DetailType, Detail, Resources: resources = [], Time } = entry;
  const areTexts = [source, DetailType].every((each) => each && typeof each === 'string');
  const required = 'Source and DetailType are required arguments.';
  if (!areTexts) return { ErrorCode: 'InvalidArgument', ErrorMessage: required };
  const detail = parseJson(Detail);
  const malformed = { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  if (!isObject(detail)) return malformed;
  const event = { source, 'detail-type': DetailType, detail, resources };
  return { EventId: buses.put(busName(entry.EventBusName), event, Time && Time * 1000) };
};
