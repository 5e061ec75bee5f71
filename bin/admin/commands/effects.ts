import { Command } from '@commander-js/extra-typings';
import { UsageError } from '../../command-line/admin-error.ts';
import { columns } from '../../command-line/print.ts';
import { countOnTerminal } from '../../command-line/progress.ts';
import { examples, pastTimeOption, serve } from '../service/command.ts';
import { type Effect, effects } from '../table/effects.ts';

export const command = serve(
  new Command('effects')
    .description(
      'List what a token, an operator, a sender or a request has done, or what was done in a time. This reads the whole table once.',
    )
    .option('--actor <actor>', 'tok_…, operator:… or sender:…, as `show` commands name it')
    .option('--request <id>', 'the Request-Id of a response, or the id of a command or a message')
    .addOption(pastTimeOption('--since <time>', 'the start'))
    .addOption(pastTimeOption('--until <time>', 'the end')),
  `
Prints a line for each item that was created, and for its last change: approvals, delivery attempts,
sandboxes, records (created, changed), tokens (revoked), managers (removed, added), redactions. Earlier
changes of an item are in CloudTrail alone. The time of a record's creation is what its sender says.
sender:AROA… without a session stands for every session of that role.
${examples('effects --actor tok_01K8QW00000000000000000000', 'effects --since 2026-11-01T10:00:00Z --until 2h --json')}`,
  async (_, { actor, request, since, until }) => {
    if (!actor && !request && !since && !until) {
      throw new UsageError('Give --actor, --request, --since or --until.');
    }
    const isWanted = (effect: Effect) =>
      (!actor || effect.actor === actor || effect.actor.startsWith(`${actor}:`)) &&
      (!request || effect.request === request) &&
      (!since || Date.parse(effect.time) >= since.getTime()) &&
      (!until || Date.parse(effect.time) <= until.getTime());
    const found: Effect[] = [];
    for await (const each of countOnTerminal('effects', effects())) {
      if (isWanted(each)) found.push(each);
    }
    found.sort((one, other) => Date.parse(one.time) - Date.parse(other.time));
    return { value: found, text: () => (found.length > 0 ? columns(found) : 'No effects.') };
  },
);
