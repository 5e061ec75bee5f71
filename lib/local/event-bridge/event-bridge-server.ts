import { busName, queueName } from '../aws-account.ts';
import { type Operations, startJsonServer } from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';
import type { EventBuses } from './event-buses.ts';
import { compilePattern } from './event-pattern.ts';

/** An entry of PutEvents. */
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
 * An EventBridge with the actions that put events, and add and remove a rule; the other rules are
 * the template's ("Actions" in the EventBridge API reference).
 */
export const startEventBridgeServer = (
  buses: EventBuses,
  log?: (line: string) => void,
): Promise<Listener> => {
  const setTargets = (bus: string, name: string, arns: string[]) => {
    buses.setRule({ ...buses.rule(busName(bus), name), queues: arns.map(queueName) });
    return { FailedEntryCount: 0, FailedEntries: [] };
  };
  const operations: Operations = {
    'AWSEvents.PutEvents': ({ Entries }: { Entries: Entry[] }) => ({
      FailedEntryCount: 0,
      Entries: Entries.map((entry) => ({ EventId: put(buses, entry) })),
    }),
    'AWSEvents.PutRule': ({ Name: name, EventBusName, EventPattern }) => {
      const matches = compilePattern(JSON.parse(EventPattern));
      buses.setRule({ name, bus: busName(EventBusName), matches, queues: [] });
    },
    'AWSEvents.PutTargets': ({ Rule, EventBusName, Targets }) =>
      setTargets(
        EventBusName,
        Rule,
        Targets.map(({ Arn }: { Arn: string }) => Arn),
      ),
    'AWSEvents.RemoveTargets': ({ Rule, EventBusName }) => setTargets(EventBusName, Rule, []),
    'AWSEvents.DeleteRule': ({ Name, EventBusName }) => {
      buses.deleteRule(busName(EventBusName), Name);
    },
  };
  return startJsonServer(operations, log);
};

/**
 * AWS rejects a source that begins with `aws.` (NotAuthorizedForSource), since only its own
 * services do that. Here it is accepted, for events that the local services do not publish, such as
 * a transient bounce of SES.
 */
const put = (buses: EventBuses, entry: Entry): string =>
  buses.put(
    busName(entry.EventBusName),
    {
      source: entry.Source,
      'detail-type': entry.DetailType,
      detail: JSON.parse(entry.Detail),
      resources: entry.Resources ?? [],
    },
    entry.Time && entry.Time * 1000,
  );
