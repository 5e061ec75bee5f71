import { sandbox } from './contract/objects.ts';
import type { Operation } from './contract/operation.ts';
import { CreateSandbox } from './domain/sandbox.ts';

export const createSandbox: Operation<CreateSandbox> = {
  access: { reads: ['GetItem'], creates: ['workspaces'], claims: true },
  clientMethod: 'createSandbox',
  tag: 'Sandboxes',
  summary: 'Create a sandbox',
  description:
    'Returns a sandbox with the status `provisioning`. It is `ready` within seconds, and its test workspace then contains data for the other operations: for `sbx_X` the payment request `ptr_X`, the sent offer `ofr_X` and the manager `00000000-0000-4000-8000-000000000001`.',
  parameters: [],
  body: {
    name: 'CreateSandbox',
    schema: CreateSandbox,
    descriptions: {
      '': 'The sandbox to create.',
      name: 'Human-readable name. White space around it is removed before its length is checked. It contains at least one visible character.',
    },
  },
  response: sandbox,
  success: 'The new sandbox.',
  links: {
    OlderSandboxes: {
      operationId: 'listSandboxes',
      description: 'The sandboxes that were created before this one.',
      parameters: { starting_after: '$response.body#/id' },
    },
    NewerSandboxes: {
      operationId: 'listSandboxes',
      description: 'The sandboxes that were created after this one.',
      parameters: { ending_before: '$response.body#/id' },
    },
  },
  request: (body) => ({ body }),
  problems: {},
  examples: {
    name: 'created',
    target: { name: 'My first sandbox' },
    faulty: { body: { name: '', colour: 'blue' } },
    keyed: { key: 'my-first-sandbox', different: { name: 'Another sandbox' } },
  },
};
