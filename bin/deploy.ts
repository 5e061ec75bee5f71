import './command-line/use-proxy.ts';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { keepsData, yesOrNo } from '../lib/settings.ts';
import { importedTableOutput, keepDataOutput } from '../lib/stack.ts';
import { AdminError } from './command-line/admin-error.ts';
import { readOutputs, stackNameOf } from './command-line/connect.ts';
import { reportError } from './command-line/report-error.ts';

const root = join(import.meta.dirname, '..');

const usage = `Usage: npm run deploy -- [options of cdk deploy]

Runs \`cdk deploy\` for the stack of a stage, unless it would replace the stage's imported table with
another one, or give up that the stage keeps its data.

A stage and its settings are context of the CDK, such as --context name=value: lib/DEPLOY.md lists them.
\`npx cdk deploy --help\` lists the other options.

Example:
  npm run deploy -- --context stage=prod --context sender=offers@your.domain --context alarmEmail=operators@your.domain`;

const importing = 'import-existing-resources';

const { values, positionals } = parseArgs({
  strict: false,
  allowNegative: true,
  options: {
    [importing]: { type: 'boolean' },
    context: { type: 'string', short: 'c', multiple: true },
    help: { type: 'boolean', short: 'h' },
    profile: { type: 'string' },
    region: { type: 'string' },
  },
});
// The CDK reads both variables and has no such option; the SDK reads the first alone.
const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
const region = (values.region as string | undefined) ?? AWS_REGION ?? AWS_DEFAULT_REGION;
if (region) process.env.AWS_REGION = region;
// With it, the CDK would deploy another app than the one that is checked.
delete process.env.CDK_APP;

const cdk = join(root, 'node_modules/aws-cdk/bin/cdk');

/** What the CDK resolves from its options, files and variables. */
interface Resolved {
  readonly context: Readonly<Record<string, string>>;
  readonly account?: string;
  readonly region?: string;
}

/**
 * Asks the CDK: `cdk deploy`, with the same options, runs an app that writes it down.
 *
 * @returns undefined when the CDK rejects the options, and has said so
 */
const resolve = (args: readonly string[]): Resolved | undefined => {
  const directory = mkdtempSync(join(tmpdir(), 'deploy-'));
  const CONTEXT_FILE = join(directory, 'context.json');
  const app = `"${process.execPath}" bin/command-line/write-context.ts`;
  try {
    const asked = ['deploy', '--app', app, ...args.filter((each) => each !== '--version')];
    const env = { ...process.env, CONTEXT_FILE };
    const { stdout, stderr } = spawnSync(process.execPath, [cdk, ...asked], { cwd: root, env });
    if (existsSync(CONTEXT_FILE)) return JSON.parse(readFileSync(CONTEXT_FILE, 'utf8'));
    process.stderr.write(Buffer.concat([stdout, stderr]));
    return undefined;
  } finally {
    rmSync(directory, { recursive: true });
  }
};

type Outputs = Readonly<Record<string, string>>;

/**
 * The outputs of the stage's stack; undefined if it was never deployed.
 *
 * @throws AdminError when they cannot be read with the credentials of the CDK
 */
const readDeployed = async (
  stage: string,
  { account, region }: Resolved,
): Promise<Outputs | undefined> => {
  const config = { region, profile: values.profile as string | undefined };
  const outputs = await readOutputs(stage, config).catch((error: AdminError) => {
    if (/does not exist/.test(String((error.cause as Error)?.message))) return undefined;
    throw error;
  });
  // The CDK may have its profile from cdk.json or a variable.
  const { Account } = account
    ? await new STSClient(config).send(new GetCallerIdentityCommand())
    : {};
  if (account === Account) return outputs;
  throw new AdminError(`The CDK would deploy to another account, ${account}: add --profile.`);
};

/**
 * A deployment that does not name the imported table of the stack would make an empty one in its
 * place.
 *
 * @throws AdminError when it does not
 */
const requireTable = (deployed: Outputs, { table }: Resolved['context']): void => {
  const inService = deployed[importedTableOutput];
  // `=false` is a text here, and the CDK takes a `false` behind the option for its value.
  const isOtherImport = values[importing] === true && !positionals.includes('false');
  if (!inService || table === inService || (table && isOtherImport)) return;
  throw new AdminError(
    `The table in service, ${inService}, is an imported one: this deployment would replace it with ${
      table ?? 'an empty one'
    }. Set "table": "${inService}" under "context" in cdk.json. To import another table, add --${importing} (lib/RESTORE.md).`,
  );
};

/**
 * A deployment without the setting would let the next mistake delete the stage's table.
 *
 * @throws AdminError when this one gives up its data, and does not say so on its command line
 */
const requireKeptData = (deployed: Outputs, stage: string, context: Resolved['context']): void => {
  const keeps = (setting: unknown) =>
    keepsData({ stage, keepData: yesOrNo.safeParse(setting).data });
  const isGivenUp = keeps(deployed[keepDataOutput]) && !keeps(context.keepData);
  const words = (values.context ?? []) as string[];
  if (!isGivenUp || words.some((word) => word.startsWith('keepData='))) return;
  throw new AdminError(
    `The stage ${stage} keeps its data: this deployment would take the protection of its table away. Add --context keepData=true, or keepData=false to this command if its data may be deleted.`,
  );
};

try {
  const args = process.argv.slice(2);
  const resolved = values.help ? undefined : resolve(args);
  if (values.help) {
    console.log(usage);
  } else if (!resolved) {
    process.exitCode = 1;
  } else {
    const { stage = 'dev' } = resolved.context;
    const deployed = await readDeployed(stage, resolved);
    if (deployed) {
      requireTable(deployed, resolved.context);
      requireKeptData(deployed, stage, resolved.context);
    }
    // With the stack that it depends on.
    const deploy = ['deploy', stackNameOf(stage), ...args];
    const { status } = spawnSync(process.execPath, [cdk, ...deploy], {
      stdio: 'inherit',
      cwd: root,
    });
    process.exitCode = status ?? 1;
  }
} catch (error) {
  process.exitCode = reportError(error, false);
}
