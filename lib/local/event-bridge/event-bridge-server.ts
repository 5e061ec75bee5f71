import { busName, queueName, ruleArn } from '../aws-account.ts';
import { startJsonServer } from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';
import type { EventBuses } from './event-buses.ts';
import { compilePattern } from './event-pattern.ts';

// The requests, in the wire form of the AWS JSON 1.1 protocol.
interface Entry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly Resources?: string[];
  /** In seconds since the epoch. */
  readonly Time?: number;
  readonly EventBusName?: string;
}

interface OfRule {
  readonly Rule: string;
  readonly EventBusName?: string;
}

interface NamedRule {
  readonly Name: string;
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
  const busOf = ({ EventBusName = 'default' }: { readonly EventBusName?: string }): string =>
    busName(EventBusName);
  const setTargets = (input: OfRule, queues: readonly string[]) => {
    buses.setRule({ ...buses.rule(busOf(input), input.Rule), queues });
    return { FailedEntryCount: 0, FailedEntries: [] };
  };
  const operations = {
    'AWSEvents.PutEvents': ({ Entries }: { Entries: Entry[] }) => ({
      FailedEntryCount: 0,
      Entries: Entries.map((entry) => ({ EventId: put(buses, busOf(entry), entry) })),
    }),
    'AWSEvents.PutRule': (input: NamedRule & { EventPattern: string }) => {
      const matches = compilePattern(JSON.parse(input.EventPattern));
      const rule = { name: input.Name, bus: busOf(input), matches, queues: [] };
      buses.setRule(rule);
      return { RuleArn: ruleArn(rule) };
    },
    'AWSEvents.PutTargets': (input: OfRule & { Targets: { Arn: string }[] }) =>
      setTargets(
        input,
        input.Targets.map(({ Arn }) => queueName(Arn)),
      ),
    'AWSEvents.RemoveTargets': (input: OfRule) => setTargets(input, []),
    'AWSEvents.DeleteRule': (input: NamedRule) => {
      buses.deleteRule(busOf(input), input.Name);
      return {};
    },
  };
  return startJsonServer(operations, log);
};

/**
 * AWS rejects a source that begins with `aws.` (NotAuthorizedForSource), since only its own
 * services do that. Here it is accepted, for events that the local services do not publish, such as
 * a transient bounce of SES.
 */
const put = (buses: EventBuses, bus: string, entry: Entry): string =>
  buses.put({
    bus,
    source: entry.Source,
    detailType: entry.DetailType,
    detail: JSON.parse(entry.Detail),
    resources: entry.Resources ?? [],
    timeMs: entry.Time && entry.Time * 1000,
  });
