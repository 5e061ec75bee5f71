import { Command } from 'commander';
import type { Sandbox } from '../../functions/domain/sandbox.ts';
import { type Position, querySandboxes } from '../../functions/store/sandboxes.ts';
import { connect } from './connect.ts';
import { requireWorkspace } from './find.ts';
import { examples, type Options } from './options.ts';
import { print, table } from './print.ts';

const pageSize = 100;

const list = new Command('list')
  .description('List the sandboxes of a workspace, newest first.')
  .requiredOption('--workspace <id>', 'the live workspace that owns them')
  .addHelpText('after', examples('sandbox list --workspace wsp_demo'))
  .action(async (_, command: Command) => {
    const options = command.optsWithGlobals<Options & { workspace: string }>();
    await connect(options);
    await requireWorkspace(options.workspace);
    const sandboxes = await allSandboxes(options.workspace);
    print(options.json, sandboxes, () =>
      sandboxes.length > 0 ? sandboxTable(sandboxes) : 'No sandboxes.',
    );
  });

export const sandboxCommand = new Command('sandbox').description('Sandboxes').addCommand(list);

const allSandboxes = async (workspace: string): Promise<Sandbox[]> => {
  const all: Sandbox[] = [];
  let position: Position | undefined;
  do {
    const page = await querySandboxes(workspace, pageSize, position);
    all.push(...page.sandboxes);
    position = page.next;
  } while (position);
  return all;
};

const sandboxTable = (sandboxes: readonly Sandbox[]): string =>
  table(
    ['ID', 'NAME', 'STATUS', 'TEST WORKSPACE', 'CREATED'],
    sandboxes.map(({ id, name, status, sandbox_workspace, created }) => [
      id,
      name,
      status,
      sandbox_workspace,
      created,
    ]),
  );
