import { routes } from './domain/routes.ts';
import { CreateSandbox, newSandbox } from './domain/sandbox.ts';
import { endpoint } from './http/endpoint.ts';
import { saveNewSandbox } from './store/sandboxes.ts';

/** A live workspace gets a new sandbox, which is returned before its test workspace is ready. */
export const handler = endpoint(routes.createSandbox, {
  body: CreateSandbox,
  decide: ({ body, caller }, _, { opaque, created }) => ({
    response: newSandbox(caller.workspace, body, opaque, created),
  }),
  save: ({ response: sandbox }, { author, claim }) => saveNewSandbox(sandbox, author, claim),
  changed: ({ id }) => ({ sandbox: id }),
});
