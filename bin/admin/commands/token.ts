import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { TokenId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { scopes as allScopes } from '../../../functions/domain/routes.ts';
import { Token } from '../../../functions/domain/token.ts';
import { tokenPattern } from '../../../functions/domain/token-form.ts';
import { newStamp } from '../../../functions/runtime/stamp.ts';
import { AdminError, required } from '../../command-line/admin-error.ts';
import { confirm } from '../../command-line/confirm.ts';
import {
  argument,
  duration,
  examples,
  group,
  isoTimeMs,
  nameArgument,
  serve,
} from '../service/command.ts';
import { listCommand } from '../service/list.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { findTokenItem, issueToken, revokeToken } from '../table/tokens.ts';

/**
 * A time from now, `90d` or `12h`, or an ISO 8601 date; as ISO 8601 in UTC with milliseconds. A
 * token that nobody remembers must end.
 */
const expiry = (text: string): string => {
  const time = /^\d+[dh]$/.test(text) ? Date.now() + duration(text) : isoTimeMs(text);
  if (time > Date.now() && time <= Date.now() + duration('400d')) {
    return new Date(time).toISOString();
  }
  throw new InvalidArgumentError(
    'Give a time to come, within 400 days: 90d, 12h or 2027-12-31T00:00:00Z.',
  );
};

/** Reads scopes as `token show` prints them, or with commas between. */
const scopeList = (text: string, before: readonly string[] = []): string[] => {
  const given = text.split(/[\s,]+/).filter(Boolean);
  if (given.length > 0 && given.every((scope) => allScopes.includes(scope))) {
    return [...new Set([...before, ...given])];
  }
  throw new InvalidArgumentError(`The scopes are ${allScopes.join(' ')}.`);
};

const issue = serve(
  new Command('issue')
    .description('Issue an access token for a workspace. It is printed only once.')
    .requiredOption(
      '--workspace <id>',
      'the workspace that the token acts for, wsp_… or wsp_test_…',
      argument(WorkspaceId),
    )
    .option('--name <name>', 'what it is for, such as the system that uses it', nameArgument)
    .addOption(
      new Option('--scopes <scopes...>', 'what it may do, with blanks or commas between')
        .argParser(scopeList)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--expires <when>',
        'for how long (90d, 12h) or until when (ISO 8601 in UTC), within 400 days',
      )
        .argParser(expiry)
        .default(expiry('90d'), '90d'),
    ),
  `\nScopes: ${allScopes.join(' ')}
${examples(
  'token issue --workspace wsp_demo --name "Payroll" --scopes sandboxes:read --expires 30d',
  'token issue --workspace wsp_demo --scopes payment_requests:approve sandboxes:read --json',
)}`,
  async ({ operator }, { workspace, name, scopes, expires: expires_at }) => {
    const { account } = await requireWorkspace(workspace);
    const { opaque, created } = newStamp();
    const granted = { workspace, scopes: scopes.join(' '), expires_at };
    const named = { id: `tok_${opaque}`, ...(name && { name }), ...granted };
    const token = await issueToken({ ...named, account, created }, await operator());
    console.error(
      `${named.id}, for ${workspace} until ${expires_at}, with ${granted.scopes}. It cannot be shown again.`,
    );
    return { value: { token, ...named }, text: () => token };
  },
);

const list = listCommand({
  noun: 'token',
  of: 'workspace',
  isParentOptional: true,
  schema: Token,
  shown: ['id', 'name', 'workspace', 'scopes', 'created', 'expires_at', 'revoked.at'],
  example: 'token list --workspace wsp_demo',
});

/** The id of a token, or the token. */
const tokenName = z.union(
  [TokenId, z.string().check(z.regex(new RegExp(`^${tokenPattern}$`)))],
  'Give the id of a token, tok_…, or the token.',
);

const requireToken = async (given: string) =>
  required(await findTokenItem(given), `There is no token ${given}.`);

const show = serve(
  new Command('show')
    .description('Show a token: what it may do, who issued it and who revoked it.')
    .argument('<token>', 'its id, tok_…, or the token itself', argument(tokenName)),
  examples('token show tok_01K8QW00000000000000000000'),
  async (_, __, given) => ({ value: (await requireToken(given)).token }),
);

const revoke = serve(
  new Command('revoke')
    .description('Revoke a token. Its record stays, because items that it wrote refer to it.')
    .argument('<token>', 'its id, tok_…, or the token itself', argument(tokenName)),
  `\nAPI Gateway may accept a revoked token for up to 60 more seconds: it caches the authorizer's response.
${examples('token revoke tok_01K8QW00000000000000000000', 'token revoke wfp_live_… --yes')}`,
  async ({ operator }, { yes }, given) => {
    const { key, token } = await requireToken(given);
    const { id, workspace, created, revoked: before } = token;
    if (before) throw new AdminError(`${id} was revoked ${before.at} by ${before.actor}.`);
    await confirm(yes, `Revoke the token ${id} of ${workspace}, issued ${created}?`);
    const revoked = { at: new Date().toISOString(), ...(await operator()) };
    if (!(await revokeToken(key, revoked))) {
      throw new AdminError(`${id} was revoked by another command.`);
    }
    return {
      value: { revoked: id, workspace },
      text: () => `Revoked ${id}. It may work for up to 60 more seconds.`,
    };
  },
);

export const command = group('token', 'Access tokens', issue, list, show, revoke);
