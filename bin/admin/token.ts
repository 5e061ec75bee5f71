import { Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod/mini';
import { scopes as allScopes } from '../../functions/domain/routes.ts';
import { tokenPrefix } from '../../functions/domain/token-form.ts';
import { newIdentity } from '../../functions/runtime/identity.ts';
import { sha256 } from '../../functions/runtime/sha256.ts';
import { keys } from '../../functions/store/keys.ts';
import { AdminError, UsageError } from './admin-error.ts';
import { confirm } from './confirm.ts';
import { requireWorkspace } from './find.ts';
import { byScan, listCommand, scanned } from './list.ts';
import { examples, type Options } from './options.ts';
import { facts, print } from './print.ts';
import {
  findTokens,
  issueToken,
  type KnownToken,
  knownToken,
  revokeToken,
} from './table/tokens.ts';
import { withService } from './with-service.ts';

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
    throw new InvalidArgumentError(
      `No such scope: ${unknown.join(', ')}. The scopes are ${allScopes.join(', ')}.`,
    );
  }
  return given;
};

const idHelp =
  'The id of a token is its SHA-256; the token itself is not stored. The list prints the first 12 digits.';

interface IssueOptions extends Options {
  readonly workspace: string;
  readonly scopes: readonly string[];
  readonly expires: string;
}

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
  .addHelpText(
    'after',
    `\nScopes: ${allScopes.join(', ')}
${examples(
  'token issue --workspace wsp_demo --scopes sandboxes:read --expires 30d',
  'token issue --workspace wsp_demo --expires 2027-12-31T00:00:00Z --json',
)}`,
  )
  .action(
    withService(async ({ operator }, { workspace: id, scopes, expires, json }: IssueOptions) => {
      const { account } = await requireWorkspace(id);
      const granted = { workspace: id, scopes: scopes.join(' '), expires_at: expires };
      const { opaque, created } = newIdentity();
      const token = await issueToken(
        { id: `tok_${opaque}`, ...granted, account, created },
        await operator(),
      );
      print(json, { token, id: sha256(token), ...granted }, () => token);
      console.error(
        `For ${id} until ${expires}, with ${scopes.join(', ')}. It cannot be shown again.`,
      );
    }),
  );

const list = listCommand({
  nouns: 'tokens',
  of: '--workspace <id>',
  order: byScan,
  id: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  read: (options) => scanned('TOKEN', knownToken, keys.token, options),
  row: (token) => ({
    ID: short(token),
    SCOPES: token.scopes,
    CREATED: token.created,
    EXPIRES: expiryOf(token),
  }),
  example: 'token list --workspace wsp_demo',
});

const show = new Command('show')
  .description('Show what is known of a token.')
  .argument('<token>', 'its id, the first digits of the id, or the token itself')
  .addHelpText('after', `\n${idHelp}\n${examples('token show 3f9a1c07b2d4')}`)
  .action(
    withService(async (_, options: Options, given: string) => {
      const token = await findToken(given);
      const { id, workspace, account, scopes, created } = token;
      print(options.json, token, () =>
        facts({ token: id, workspace, account, scopes, created, expires: expiryOf(token) }),
      );
    }),
  );

const revoke = new Command('revoke')
  .description('Revoke a token.')
  .argument('<token>', 'its id, the first digits of the id, or the token itself')
  .addHelpText(
    'after',
    `\nAPI Gateway may accept a revoked token for up to 60 more seconds: it caches the authorizer's answer.
${examples('token revoke 3f9a1c07b2d4', 'token revoke wfp_live_… --yes')}`,
  )
  .action(
    withService(async (_, options: Options, given: string) => {
      const token = await findToken(given);
      await confirm(
        options.yes,
        `Revoke the token ${short(token)} of ${token.workspace}, issued ${token.created}?`,
      );
      await revokeToken(token.id);
      print(
        options.json,
        { revoked: token.id, workspace: token.workspace },
        () => `Revoked ${short(token)}. It may work for up to 60 more seconds.`,
      );
    }),
  );

export const tokenCommand = new Command('token')
  .description('Access tokens')
  .addCommand(issue)
  .addCommand(list)
  .addCommand(show)
  .addCommand(revoke);

/** @throws AdminError unless it names exactly one */
const findToken = async (given: string): Promise<KnownToken> => {
  const id = given.startsWith(tokenPrefix) ? sha256(given) : given.toLowerCase();
  if (!/^[0-9a-f]{4,64}$/.test(id)) {
    throw new UsageError(
      'Give the id of a token, at least 4 of its hexadecimal digits, or the token.',
    );
  }
  const [token, ...others] = await findTokens(id);
  if (!token) throw new AdminError(`There is no token ${given}.`);
  if (others.length > 0) {
    throw new AdminError(`${others.length + 1} tokens begin with ${id}; give more of its digits.`);
  }
  return token;
};

const short = ({ id }: KnownToken) => id.slice(0, 12);

const expiryOf = ({ expires_at }: KnownToken): string =>
  expires_at + (expires_at <= new Date().toISOString() ? ' (expired)' : '');
