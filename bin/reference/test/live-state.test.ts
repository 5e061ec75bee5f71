import { expect, test } from 'vitest';
import { type BusEvent, QueueService } from '../../../lib/local/local-engine.ts';
import { LiveState } from '../live-state.ts';

test.each([{}, { id: 'a', type: 5 }, { id: 'b', type: 'sandbox.ready' }])(
  "an event that has the service's source and is not its own is not shown: %j",
  (detail) => {
    const live = new LiveState();
    live.addEvent({ detail } as BusEvent);
    expect(live.snapshot(new QueueService(), {})).toMatchObject({ events: [], sandboxes: [] });
  },
);
