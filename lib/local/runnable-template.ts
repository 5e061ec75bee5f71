import { readRestApi } from './api-gateway/rest-api.ts';
import { arn } from './aws-account.ts';
import { Template } from './cloudformation/template.ts';
import { tableShape } from './dynamodb/tables.ts';
import { readEvents } from './event-bridge/read-event-bridge.ts';
import { readEventSources } from './lambda/event-source-mappings.ts';
import { functionSettings } from './lambda/functions.ts';
import { nameVersions } from './lambda/versions.ts';
import { secretShape } from './secrets-manager/secret-store.ts';
import { readEventDestinations } from './ses/event-destinations.ts';
import { createQueues } from './sqs/queues.ts';

/**
 * Reads all parts of a template before any of them starts, with placeholders for their addresses.
 * Each part is read again with its real address when it starts.
 *
 * @throws Error that names everything in it that cannot run
 */
export const runnableTemplate = (assemblyDirectory: string): Template => {
  const template = new Template(assemblyDirectory);
  createQueues(template, { create: () => {} }, 'http://127.0.0.1');
  nameVersions(template);
  for (const { logicalId, name, properties } of template.read(tableShape)) {
    const StreamArn = arn('dynamodb', `table/${name}/stream/0`);
    if (properties.StreamSpecification) template.supply(logicalId, { attributes: { StreamArn } });
  }
  template.read(secretShape);
  readEvents(template);
  readEventDestinations(template);
  readRestApi(template);
  functionSettings(template);
  readEventSources(template);
  template.outputs();
  template.refuseOtherTypes();
  template.requireRunnable();
  return template;
};
