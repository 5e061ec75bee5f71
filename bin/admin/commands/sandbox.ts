import { Command } from '@commander-js/extra-typings';
import { SandboxId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { Sandbox } from '../../../functions/domain/sandbox.ts';
import { keys } from '../../../functions/store/keys.ts';
import { findSandbox } from '../../../functions/store/sandboxes.ts';
import { required } from '../../command-line/admin-error.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { listCommand } from '../service/list.ts';
import { readPartitionFrom } from '../table/scan.ts';

const list = listCommand({
  noun: 'sandbox',
  of: 'workspace',
  order: 'newest first',
  async *read({ workspace = '' }) {
    yield* (await readPartitionFrom(keys.sandbox(workspace, ''))).reverse();
  },
  schema: Sandbox,
  shown: ['id', 'name', 'status', 'sandbox_workspace', 'created'],
  example: 'sandbox list --workspace wsp_demo',
});

const show = serve(
  new Command('show')
    .description('Show a sandbox.')
    .argument('<id>', 'its id, sbx_…', argument(SandboxId))
    .requiredOption('--workspace <id>', 'the live workspace that owns it', argument(WorkspaceId)),
  examples('sandbox show sbx_… --workspace wsp_demo'),
  async (_, { workspace }, id) => {
    const found = await findSandbox(workspace, id);
    const { sandbox, author } = required(found, `${workspace} has no sandbox ${id}.`);
    return { value: { ...sandbox, author } };
  },
);

export const command = group('sandbox', 'Sandboxes', list, show);
