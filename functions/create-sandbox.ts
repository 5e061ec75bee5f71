import { routes } from './domain/routes.ts';
import { CreateSandbox, newSandbox } from './domain/sandbox.ts';
import { endpoint } from './http/endpoint.ts';
import { newOpaque } from './store/identifiers.ts';
import { saveNewSandbox } from './store/sandboxes.ts';

/** A live workspace gets a new sandbox, which is returned before its test workspace is ready. */
export const handler = endpoint(
  routes.createSandbox,
  { body: CreateSandbox },
  async ({ body, caller, now, claim }) => {
    const sandbox = newSandbox(body, caller.workspace, newOpaque(), now);
    await saveNewSandbox(sandbox, claim);
    return sandbox;
  },
);
