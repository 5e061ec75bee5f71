import { SandboxId } from '../../../functions/domain/identifiers.ts';
import { Sandbox } from '../../../functions/domain/sandbox.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { type Position, querySandboxes } from '../../../functions/store/sandboxes.ts';
import { sandbox } from '../kinds/sandbox.ts';
import { group } from '../service/command.ts';
import { listCommand } from '../service/list.ts';
import { showCommand } from '../service/show.ts';
import { facts } from '../terminal/print.ts';

const pageSize = 100;

const list = listCommand({
  kind: sandbox,
  of: '--workspace <id>',
  order: 'newest first',
  element: Sandbox,
  async *read({ workspace = '' }) {
    let position: Position | undefined;
    do {
      const page = await querySandboxes(workspace, pageSize, position);
      yield* page.sandboxes;
      position = page.next;
    } while (position);
  },
  columns: ['id', 'name', 'status', 'sandbox_workspace', 'created'],
  example: 'sandbox list --workspace wsp_demo',
});

const show = showCommand({
  kind: sandbox,
  description: 'Show a sandbox.',
  id: ['its id, sbx_…', SandboxId],
  of: '--workspace <id>',
  output: Sandbox,
  find: (id, { workspace = '' }) => read(keys.sandbox(workspace, id)),
  text: ({ id, name, status, workspace, sandbox_workspace, created, updated }) =>
    facts({
      sandbox: id,
      name,
      status,
      workspace,
      'test workspace': sandbox_workspace,
      created,
      updated,
    }),
  example: 'sandbox show sbx_… --workspace wsp_demo',
});

/** Lists and shows sandboxes. */
export const command = group('sandbox', 'Sandboxes', list, show);
