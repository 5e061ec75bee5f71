import './command-line/use-proxy.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { decodeGiven, foreignArns, isRegion, isSetting, type Settings } from '../lib/settings.ts';
import { importedTableOutput, keepDataOutput, settingsOutput } from '../lib/stack.ts';
import { AdminError, InterruptedError } from './command-line/admin-error.ts';
import { readOutputs, stackNameOf } from './command-line/connect.ts';
import { reportError } from './command-line/report-error.ts';

const root = join(import.meta.dirname, '..');

const usage = `Usage: npm run deploy -- --context stage=STAGE [options of cdk deploy]

Prints which settings of the stage change, and runs \`cdk deploy\` for its stack, unless that would take a
setting away that is nowhere named, put an imported table in the place of another one, or give up that the
stage keeps its data.

The settings of a stage are in cdk.json; --context name=value overrides one for this deployment, and
--context name= gives it no value: lib/DEPLOY.md lists them.
\`npx cdk deploy --help\` lists the other options.

Example:
  npm run deploy -- --context stage=prod`;

const importing = 'import-existing-resources';

const { values, positionals } = parseArgs({
  strict: false,
  allowNegative: true,
  options: {
    [importing]: { type: 'boolean' },
    context: { type: 'string', short: 'c' },
    help: { type: 'boolean', short: 'h' },
    profile: { type: 'string' },
  },
});
const profile = values.profile as string | undefined;
const args = process.argv.slice(2);
// With it, the CDK would deploy another app than the one that is checked.
delete process.env.CDK_APP;

const cdk = join(root, 'node_modules/aws-cdk/bin/cdk');

/** What the CDK resolves from its options, files and variables. */
interface Resolved {
  readonly settings: Settings;
  readonly account?: string;
  readonly region?: string;
}

/**
 * Asks the CDK: `cdk deploy`, with the same options, runs an app that writes it down.
 *
 * @throws AdminError when the CDK rejects the options, or a setting is wrong
 */
const resolve = (): Resolved => {
  const directory = mkdtempSync(join(tmpdir(), 'deploy-'));
  const CONTEXT_FILE = join(directory, 'context.json');
  const app = `"${process.execPath}" bin/command-line/write-context.ts`;
  try {
    const asked = ['deploy', '--app', app, ...args.filter((each) => each !== '--version')];
    const env = { ...process.env, CONTEXT_FILE };
    const { stdout, stderr } = spawnSync(process.execPath, [cdk, ...asked], { cwd: root, env });
    // In CI the CDK prints warnings to stdout.
    const printed = `${stdout}${stderr}`;
    if (!existsSync(CONTEXT_FILE)) throw new AdminError(printed.trim());
    const [ignored] = /Context argument is not an assignment.*/.exec(printed) ?? [];
    const { wrong = ignored, ...resolved } = JSON.parse(readFileSync(CONTEXT_FILE, 'utf8'));
    if (wrong) throw new AdminError(wrong);
    return resolved;
  } finally {
    rmSync(directory, { recursive: true });
  }
};

/** Where a stage is deployed. */
interface Place {
  readonly account: string;
  readonly region: string;
}

/** @throws AdminError when the stage does not belong there */
const findPlace = async ({ settings, ...byDefault }: Resolved): Promise<Place> => {
  const region = settings.env.region ?? byDefault.region ?? '';
  if (!isRegion(region)) throw new AdminError(`There is no AWS region ${region}.`);
  const sts = new STSClient({ region, profile });
  const { Account: account = '' } = await sts.send(new GetCallerIdentityCommand());
  if (settings.env.account && settings.env.account !== account) {
    throw new AdminError(
      `The stage ${settings.stage} belongs to the account ${settings.env.account} (cdk.json), and these credentials to ${account}.`,
    );
  }
  // The CDK may have its profile from cdk.json or a variable.
  if (byDefault.account && byDefault.account !== account) {
    throw new AdminError(
      `The CDK would deploy to another account, ${byDefault.account}: add --profile.`,
    );
  }
  const foreign = foreignArns(settings, { account, region });
  if (foreign.length > 0) throw new AdminError(foreign.join('\n'));
  return { account, region };
};

type Outputs = Readonly<Record<string, string>>;

/**
 * The outputs of the stage's stack; undefined if it was never deployed.
 *
 * @throws AdminError when they cannot be read with the credentials of the CDK
 */
const readDeployed = (stage: string, { region }: Place): Promise<Outputs | undefined> =>
  readOutputs(stage, { region, profile }).catch((error: AdminError) => {
    const { message } = error.cause as Error;
    if (/^Stack with id \S+ does not exist$/.test(message)) return undefined;
    throw error;
  });

/** Prints what is done where, and which settings change. */
const announce = (
  { stage, given, onlyOnce }: Settings,
  { account, region }: Place,
  deployed: Outputs | undefined,
): void => {
  const before = decodeGiven(deployed?.[settingsOutput], given);
  const verb = deployed ? 'Updates' : 'Creates';
  console.log(`${verb} ${stackNameOf(stage)} in the account ${account}, region ${region}.`);
  for (const name of new Set([...Object.keys(before), ...Object.keys(given)])) {
    const [from = 'none', to = 'none'] = [before[name], given[name]];
    if (from !== to) console.log(`  ${name}: ${from} → ${to}`);
  }
  for (const name of onlyOnce) {
    console.log(`  ${name} is in no file: the next deployment must name it.`);
  }
};

/** Whether the command line itself gives a setting this value; files and variables may be wrong. */
const isSaid = (name: string, value: string): boolean =>
  args.some((word) => word.replace(/^(--context=|-c=?)/, '') === `${name}=${value}`);

/**
 * A deployment with another table than the stack has would put that into service, and one without
 * its imported table an empty one.
 */
const refuseOtherTable = (deployed: Outputs, { stage, importedTable = '' }: Settings) => {
  const imported = deployed[importedTableOutput] ?? '';
  // `=false` is a text here, and the CDK takes a `false` behind the option for its value.
  const isImport = values[importing] === true && !positionals.includes('false');
  const inService = imported || deployed.TableName;
  if (!inService || importedTable === imported) return undefined;
  if (importedTable && isImport && isSaid('table', importedTable)) return undefined;
  const [kind, advice] = imported
    ? ['an imported one', `Set "table": "${imported}" under "${stage}" in cdk.json`]
    : ["the stack's own", `Remove "table" under "${stage}" from cdk.json`];
  return `The table in service, ${inService}, is ${kind}: this deployment would replace it with ${
    importedTable || 'an empty one'
  }. ${advice}. To import another table, add --context table=NAME --${importing} (lib/RESTORE.md).`;
};

/** A deployment without the setting would let the next mistake delete the stage's table. */
const refuseUnprotected = (deployed: Outputs, { stage, keepData }: Settings) =>
  deployed[keepDataOutput] !== 'true' || keepData || isSaid('keepData', 'false')
    ? undefined
    : `The stage ${stage} keeps its data: this deployment would take the protection of its table away. Set "keepData": true under "${stage}" in cdk.json, or add --context keepData=false to this command if its data may be deleted.`;

/**
 * A deployment takes away what belongs to a setting that is forgotten, such as the API's domain.
 * The file or the command must name each setting of the stack.
 */
const refuseForgotten = (deployed: Outputs, { stage, named }: Settings) => {
  const gone = Object.entries(decodeGiven(deployed[settingsOutput])).filter(
    ([name]) => isSetting(name) && !named.includes(name),
  );
  if (gone.length === 0) return undefined;
  const settings = gone.map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  return `${stackNameOf(stage)} was deployed with settings that this deployment would take away. Give them under "${stage}" in cdk.json, or null in their place (of a value that begins with # the stack keeps only the hash: see the history of cdk.json):\n${settings.join('\n')}`;
};

/** @throws AdminError with a sentence for each thing that the deployment would take away */
const requireNothingLost = (deployed: Outputs, settings: Settings): void => {
  const refusals = [refuseOtherTable, refuseUnprotected, refuseForgotten]
    .map((refuse) => refuse(deployed, settings))
    .filter((sentence) => sentence !== undefined);
  if (refusals.length > 0) throw new AdminError(refusals.join('\n'));
};

/**
 * Runs `cdk deploy` for the stack, and the one that it depends on.
 *
 * @returns its exit code
 * @throws InterruptedError when a signal has ended it
 */
const deploy = async (stage: string): Promise<number> => {
  const command = [cdk, 'deploy', stackNameOf(stage), ...args];
  const child = spawn(process.execPath, command, { stdio: 'inherit', cwd: root });
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      interrupted = true;
      child.kill(signal);
    });
  }
  const [code] = await once(child, 'close');
  if (!interrupted) return code ?? 1;
  throw new InterruptedError(
    `Interrupted. CloudFormation completes what it has begun: see the events of ${stackNameOf(stage)}.`,
  );
};

try {
  if (values.help) {
    console.log(usage);
  } else {
    const resolved = resolve();
    const { settings } = resolved;
    const place = await findPlace(resolved);
    const deployed = await readDeployed(settings.stage, place);
    if (deployed) requireNothingLost(deployed, settings);
    announce(settings, place, deployed);
    process.exitCode = await deploy(settings.stage);
  }
} catch (error) {
  process.exitCode = reportError(error, false);
}
