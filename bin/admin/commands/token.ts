import { Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod/mini';
import { TokenId } from '../../../functions/domain/identifiers.ts';
import { scopes as allScopes } from '../../../functions/domain/routes.ts';
import { tokenPattern } from '../../../functions/domain/token-form.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import {
  argument,
  examples,
  group,
  isoTimeMs,
  nameArgument,
  type Options,
  withService,
} from '../service/command.ts';
import { byScan, listCommand } from '../service/list.ts';
import { scanType } from '../table/scan.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import {
  findToken,
  issueToken,
  type KnownToken,
  knownToken,
  revokeToken,
} from '../table/tokens.ts';
import { AdminError, required } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { facts, print } from '../terminal/print.ts';

/** A time from now, `90d` or `12h`, or an ISO 8601 date; as ISO 8601 in UTC with milliseconds. */
const expiry = (text: string): string => {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  const time = count ? Date.now() + hours * 3_600_000 : isoTimeMs(text);
  if (!(time > Date.now())) {
    throw new InvalidArgumentError('Give a time to come: 90d, 12h or 2027-12-31T00:00:00Z.');
  }
  return new Date(time).toISOString();
};

const scopeList = (text: string): string[] => {
  const given = text.split(',');
  const unknown = given.filter((scope) => !allScopes.includes(scope));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `No such scope: ${unknown.join(', ')}. The scopes are ${allScopes.join(', ')}.`,
    );
  }
  return given;
};

interface IssueOptions extends Options {
  readonly workspace: string;
  readonly name?: string;
  readonly scopes: readonly string[];
  readonly expires: string;
}

const issue = new Command('issue')
  .description('Issue an access token for a workspace. It is printed only once.')
  .requiredOption('--workspace <id>', 'the workspace that the token acts for, wsp_… or wsp_test_…')
  .option('--name <name>', 'what it is for, such as the system that uses it', nameArgument)
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
  .addHelpText(
    'after',
    `\nScopes: ${allScopes.join(', ')}
${examples(
  'token issue --workspace wsp_demo --name "Payroll" --scopes sandboxes:read --expires 30d',
  'token issue --workspace wsp_demo --expires 2027-12-31T00:00:00Z --json',
)}`,
  )
  .action(
    withService(async ({ operator }, options: IssueOptions) => {
      const { workspace, name, scopes, expires: expires_at, json } = options;
      const { account } = await requireWorkspace(workspace);
      const { opaque, created } = newIdentity();
      const granted = { workspace, scopes: scopes.join(' '), expires_at };
      const named = { id: `tok_${opaque}`, ...(name && { name }), ...granted };
      const token = await issueToken({ ...named, account, created }, await operator());
      print(json, { token, ...named }, () => token);
      console.error(
        `${named.id}, for ${workspace} until ${expires_at}, with ${scopes.join(', ')}. It cannot be shown again.`,
      );
    }),
  );

const list = listCommand({
  nouns: 'tokens',
  of: '--workspace <id>',
  order: byScan,
  id: TokenId,
  async *read({ workspace, after }) {
    const start = after ? (await requireToken(after)).key : undefined;
    for await (const item of scanType('TOKEN', { workspace }, start)) yield knownToken(item);
  },
  row: (token) => ({
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    created: token.created,
    ends: endOf(token),
  }),
  example: 'token list --workspace wsp_demo',
});

/** The id of a token, or the token. */
const tokenName = z.union([TokenId, z.string().check(z.regex(new RegExp(`^${tokenPattern}$`)))]);

const tokenArgument = [
  '<token>',
  'its id, tok_…, or the token itself',
  argument(tokenName, 'Give the id of a token, tok_…, or the token.'),
] as const;

const show = new Command('show')
  .description('Show a token: what it may do, who issued it and who revoked it.')
  .argument(...tokenArgument)
  .addHelpText('after', examples('token show tok_01K8QW00000000000000000000'))
  .action(
    withService(async (_, options: Options, given: string) => {
      const { token } = await requireToken(given);
      const { id, name, workspace, account, scopes, created, author, revoked } = token;
      print(options.json, token, () =>
        facts({
          token: id,
          name: name ?? 'none',
          workspace,
          account,
          scopes,
          created,
          'issued by': author.actor,
          ends: endOf(token),
          ...(revoked && { 'revoked by': revoked.actor }),
        }),
      );
    }),
  );

const revoke = new Command('revoke')
  .description('Revoke a token. Its record stays, because items that it wrote refer to it.')
  .argument(...tokenArgument)
  .addHelpText(
    'after',
    `\nAPI Gateway may accept a revoked token for up to 60 more seconds: it caches the authorizer's answer.
${examples('token revoke tok_01K8QW00000000000000000000', 'token revoke wfp_live_… --yes')}`,
  )
  .action(
    withService(async ({ operator }, options: Options, given: string) => {
      const { key, token } = await requireToken(given);
      const { id, workspace, created, revoked: before } = token;
      if (before) throw new AdminError(`${id} was revoked ${before.at} by ${before.actor}.`);
      await confirm(options.yes, `Revoke the token ${id} of ${workspace}, issued ${created}?`);
      const revoked = { at: new Date().toISOString(), ...(await operator()) };
      if (!(await revokeToken(key, revoked))) {
        throw new AdminError(`${id} was revoked by another command.`);
      }
      print(
        options.json,
        { revoked: id, workspace },
        () => `Revoked ${id}. It may work for up to 60 more seconds.`,
      );
    }),
  );

/** Issues, lists, shows and revokes access tokens. */
export const command = group('token', 'Access tokens', issue, list, show, revoke);

/** @throws AdminError when there is none */
const requireToken = async (given: string) =>
  required(await findToken(given), `There is no token ${given}.`);

const endOf = ({ expires_at, revoked }: KnownToken): string => {
  if (revoked) return `revoked ${revoked.at}`;
  return expires_at + (expires_at <= new Date().toISOString() ? ' (expired)' : '');
};
