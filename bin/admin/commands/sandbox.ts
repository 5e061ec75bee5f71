import { Command } from 'commander';
import { SandboxId } from '../../../functions/domain/identifiers.ts';
import { Sandbox } from '../../../functions/domain/sandbox.ts';
import { keys } from '../../../functions/store/keys.ts';
import { type Position, querySandboxes } from '../../../functions/store/sandboxes.ts';
import { examples, group, type Options, withService } from '../service/command.ts';
import { listCommand } from '../service/list.ts';
import { readItem } from '../table/scan.ts';
import { required } from '../terminal/admin-error.ts';
import { facts, print } from '../terminal/print.ts';

const pageSize = 100;

const list = listCommand({
  nouns: 'sandboxes',
  of: '--workspace <id>',
  order: 'newest first',
  id: SandboxId,
  read: ({ workspace = '', after }) => sandboxesAfter(workspace, after),
  row: ({ id, name, status, sandbox_workspace, created }) => ({
    id,
    name,
    status,
    'test workspace': sandbox_workspace,
    created,
  }),
  example: 'sandbox list --workspace wsp_demo',
});

async function* sandboxesAfter(workspace: string, after?: string): AsyncGenerator<Sandbox> {
  let position: Position | undefined = after ? { towards: 'older', from: after } : undefined;
  do {
    const page = await querySandboxes(workspace, pageSize, position);
    yield* page.sandboxes;
    position = page.next;
  } while (position);
}

const show = new Command('show')
  .description('Show a sandbox.')
  .argument('<id>', 'its id, sbx_…')
  .requiredOption('--workspace <id>', 'the live workspace that owns it')
  .addHelpText('after', examples('sandbox show sbx_… --workspace wsp_demo'))
  .action(
    withService(async (_, options: Options & { workspace: string }, id: string) => {
      const found = await readItem(keys.sandbox(options.workspace, id));
      const sandbox = Sandbox.parse(required(found, `${options.workspace} has no sandbox ${id}.`));
      const { name, status, workspace, sandbox_workspace, created, updated } = sandbox;
      print(options.json, sandbox, () =>
        facts({
          sandbox: id,
          name,
          status,
          workspace,
          'test workspace': sandbox_workspace,
          created,
          updated,
        }),
      );
    }),
  );

/** Lists and shows sandboxes. */
export const command = group('sandbox', 'Sandboxes', list, show);
