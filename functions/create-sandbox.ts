import { routes } from './domain/routes.ts';
import { CreateSandbox, newSandbox } from './domain/sandbox.ts';
import { endpoint } from './http/endpoint.ts';
import { newIdentity } from './runtime/identity.ts';
import { saveNewSandbox } from './store/sandboxes.ts';

/** A live workspace gets a new sandbox, which is returned before its test workspace is ready. */
export const handler = endpoint(
  routes.createSandbox,
  { body: CreateSandbox },
  async ({ body, caller, author, claim }) => {
    const { opaque, created } = newIdentity();
    const sandbox = newSandbox(caller.workspace, body, opaque, created);
    await saveNewSandbox(sandbox, author, claim(sandbox));
    return sandbox;
  },
);
