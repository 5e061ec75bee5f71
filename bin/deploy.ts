import './command-line/use-proxy.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import {
  decodeGiven,
  foreignArns,
  isRegion,
  isSetting,
  type Settings,
  yesOrNo,
} from '../lib/settings.ts';
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
    context: { type: 'string', short: 'c', multiple: true },
    help: { type: 'boolean', short: 'h' },
    profile: { type: 'string' },
  },
});
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
 * @returns undefined when the CDK rejects the options, and has said so
 * @throws AdminError when a setting is wrong
 */
const resolve = (args: readonly string[]): Resolved | undefined => {
  const directory = mkdtempSync(join(tmpdir(), 'deploy-'));
  const CONTEXT_FILE = join(directory, 'context.json');
  const app = `"${process.execPath}" bin/command-line/write-context.ts`;
  try {
    const asked = ['deploy', '--app', app, ...args.filter((each) => each !== '--version')];
    const env = { ...process.env, CONTEXT_FILE };
    const { stdout, stderr } = spawnSync(process.execPath, [cdk, ...asked], { cwd: root, env });
    if (!existsSync(CONTEXT_FILE)) {
      process.stderr.write(Buffer.concat([stdout, stderr]));
      return undefined;
    }
    // In CI the CDK prints warnings to stdout.
    const [ignored] = /Context argument is not an assignment.*/.exec(`${stdout}${stderr}`) ?? [];
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
  const sts = new STSClient({ region, profile: values.profile as string | undefined });
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
  readOutputs(stage, { region, profile: values.profile as string | undefined }).catch(
    (error: AdminError) => {
      const { message } = error.cause as Error;
      if (/^Stack with id \S+ does not exist$/.test(message)) return undefined;
      throw error;
    },
  );

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

/** What the command line itself says of a setting, without files and variables. */
const onCommandLine = (name: string): string[] =>
  process.argv.flatMap((word) => {
    const [, value] = new RegExp(`^(?:--context=|-c=?)?${name}=(.*)`, 's').exec(word) ?? [];
    return value ?? [];
  });

/**
 * A deployment with another table than the stack has would put that into service, and one without
 * its imported table an empty one.
 *
 * @throws AdminError when this one does, and does not say so on its command line
 */
const requireTable = (deployed: Outputs, { stage, importedTable = '' }: Settings): void => {
  const imported = deployed[importedTableOutput] ?? '';
  // `=false` is a text here, and the CDK takes a `false` behind the option for its value.
  const isImport = values[importing] === true && !positionals.includes('false');
  const isSaid = isImport && onCommandLine('table').includes(importedTable);
  const inService = imported || deployed.TableName;
  if (!inService || importedTable === imported || (importedTable && isSaid)) return;
  throw new AdminError(
    `The table in service, ${inService}, is ${imported ? 'an imported one' : "the stack's own"}: this deployment would replace it with ${
      importedTable || 'an empty one'
    }. ${
      imported
        ? `Set "table": "${imported}" under "${stage}" in cdk.json`
        : 'Remove "table" from it'
    }. To import another table, add --context table=NAME --${importing} (lib/RESTORE.md).`,
  );
};

/**
 * A deployment without the setting would let the next mistake delete the stage's table.
 *
 * @throws AdminError when this one gives up its data, and does not say so on its command line
 */
const requireKeptData = (deployed: Outputs, { stage, keepData }: Settings): void => {
  if (deployed[keepDataOutput] !== 'true' || keepData) return;
  if (onCommandLine('keepData').some((value) => yesOrNo.safeParse(value).data === false)) return;
  throw new AdminError(
    `The stage ${stage} keeps its data: this deployment would take the protection of its table away. Set "keepData": true under "${stage}" in cdk.json, or add --context keepData=false to this command if its data may be deleted.`,
  );
};

/**
 * A deployment takes away what belongs to a setting that is forgotten, such as the API's domain.
 *
 * @throws AdminError when a setting of the stack is neither in the file nor in the command
 */
const requireNamed = (deployed: Outputs, { stage, named }: Settings): void => {
  const gone = Object.entries(decodeGiven(deployed[settingsOutput])).filter(
    ([name]) => isSetting(name) && !named.includes(name),
  );
  if (gone.length === 0) return;
  const settings = gone.map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  throw new AdminError(
    `${stackNameOf(stage)} was deployed with settings that this deployment would take away. Give them under "${stage}" in cdk.json, or null in their place (of a value that begins with # the stack keeps only the hash: see the history of cdk.json):\n${settings.join('\n')}`,
  );
};

/**
 * Runs `cdk deploy` for the stack, and the one that it depends on.
 *
 * @returns its exit code
 * @throws InterruptedError when a signal has ended it
 */
const deploy = async (stage: string, args: readonly string[]): Promise<number> => {
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
  const args = process.argv.slice(2);
  const resolved = values.help ? undefined : resolve(args);
  if (values.help) {
    console.log(usage);
  } else if (!resolved) {
    process.exitCode = 1;
  } else {
    const { settings } = resolved;
    const place = await findPlace(resolved);
    const deployed = await readDeployed(settings.stage, place);
    if (deployed) {
      requireTable(deployed, settings);
      requireKeptData(deployed, settings);
      requireNamed(deployed, settings);
    }
    announce(settings, place, deployed);
    process.exitCode = await deploy(settings.stage, args);
  }
} catch (error) {
  process.exitCode = reportError(error, false);
}
