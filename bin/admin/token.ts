import { Command, InvalidArgumentError, Option } from 'commander';
import { scopes as allScopes } from '../../functions/domain/routes.ts';
import { issueToken } from '../../functions/store/tokens.ts';
import { findWorkspace } from '../../functions/store/workspaces.ts';
import { AdminError, connect, type Target } from './connect.ts';

/** A time from now, `90d` or `12h`, or an ISO 8601 date; as ISO 8601 in UTC with milliseconds. */
const expiry = (text: string): string => {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  const time = count ? Date.now() + hours * 3_600_000 : Date.parse(text);
  if (!(time > Date.now())) {
    throw new InvalidArgumentError('Give a time to come: 90d, 12h or 2027-12-31T00:00:00Z.');
  }
  return new Date(time).toISOString();
};

const scopeList = (text: string): string[] => {
  const given = text.split(',');
  const unknown = given.filter((scope) => !allScopes.includes(scope));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(`No such scope: ${unknown}. The scopes are ${allScopes}.`);
  }
  return given;
};

const issue = new Command('issue')
  .description('Issue an access token for a workspace. It is printed now and never again.')
  .requiredOption('--workspace <id>', 'the workspace that the token acts for, wsp_… or wsp_test_…')
  .addOption(
    new Option('--scopes <list>', 'what it may do, separated by commas')
      .argParser(scopeList)
      .default([...allScopes], 'all'),
  )
  .addOption(
    new Option('--expires <when>', 'for how long (90d, 12h) or until when (ISO 8601)')
      .argParser(expiry)
      .default(expiry('90d'), '90d'),
  )
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    `
Scopes: ${allScopes.join(', ')}

Example:
  npm run admin -- token issue --workspace wsp_demo --scopes sandboxes:read --expires 30d`,
  )
  .action(async (_, command: Command) => {
    const {
      workspace: id,
      scopes,
      expires,
      json,
      ...target
    } = command.optsWithGlobals<
      Target & { workspace: string; scopes: string[]; expires: string; json?: boolean }
    >();
    await connect(target);
    const workspace = await findWorkspace(id);
    if (!workspace) throw new AdminError(`There is no workspace ${id}.`);
    const granted = { workspace: id, scopes: scopes.join(' '), expires_at: expires };
    const token = await issueToken({
      ...granted,
      account: workspace.account,
      created: new Date().toISOString(),
    });
    if (json) return console.log(JSON.stringify({ token, ...granted }));
    console.log(token);
    console.error(
      `For ${id} until ${expires}, with ${scopes.join(', ')}. It cannot be shown again.`,
    );
  });

export const tokenCommand = new Command('token').description('Access tokens').addCommand(issue);
