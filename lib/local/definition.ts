import { readRestApi } from './api-gateway/rest-api.ts';
import type { TemplateReader } from './cloudformation/template-reader.ts';
import { readEventBridge } from './event-bridge/read-event-bridge.ts';
import { readEventSources } from './lambda/event-source-mappings.ts';
import { readFunctionSettings } from './lambda/functions.ts';
import { readSecrets } from './secrets-manager/secret-store.ts';
import { readEventDestinations } from './ses/event-destinations.ts';
import { readQueues } from './sqs/queues.ts';

/** What a template defines besides its tables. */
export type Definition = ReturnType<typeof readDefinition>;

/**
 * Reads what a template defines besides its tables, which the reader has read before.
 *
 * @throws Error that names everything in the template that cannot run
 */
export const readDefinition = (reader: TemplateReader) => {
  const definition = {
    queues: readQueues(reader),
    eventBridge: readEventBridge(reader),
    destinations: readEventDestinations(reader),
    secrets: readSecrets(reader),
    restApi: readRestApi(reader),
    functions: readFunctionSettings(reader),
    eventSources: readEventSources(reader),
    outputs: reader.outputs(),
  };
  reader.rejectOtherTypes();
  reader.requireRunnable();
  return definition;
};
