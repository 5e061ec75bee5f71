import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepsData, yesOrNo } from '../lib/settings.ts';
import { importedTableOutput, keepDataOutput } from '../lib/stack.ts';
import { readOutputs, stackNameOf } from './admin/service/connect.ts';
import { AdminError } from './admin/terminal/admin-error.ts';
import { reportError } from './admin/terminal/report-error.ts';

const root = join(import.meta.dirname, '..');

const usage = `Usage: npm run deploy -- [options of cdk deploy]

Runs \`cdk deploy\` for the stack of a stage, unless it would replace the stage's imported table with
another one, or give up that the stage keeps its data.

A stage and its settings are given as --context name=value, or in cdk.json: lib/DEPLOY.md lists them.
\`npx cdk deploy --help\` lists the other options.

Example:
  npm run deploy -- --context stage=prod --context sender=offers@your.domain --context alarmEmail=operators@your.domain`;

/** What `cdk deploy` is given: `--context name=value`, over the context of cdk.json. */
const { values, tokens } = parseArgs({
  strict: false,
  tokens: true,
  options: {
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
const commandLine: Readonly<Record<string, string>> = Object.fromEntries(
  ((values.context ?? []) as string[]).map((each) => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(each) ?? [];
    return [name, value];
  }),
);
const context: Readonly<Record<string, string>> = {
  ...JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')).context,
  ...commandLine,
};
const { stage = 'dev' } = context;

/** The outputs of the stage's stack; undefined if it was never deployed. */
const readDeployed = async (): Promise<Readonly<Record<string, string>> | undefined> => {
  const { profile } = values as { profile?: string };
  return readOutputs(stage, { profile }).catch((error: AdminError) => {
    if (/does not exist/.test(String((error.cause as Error)?.message))) return undefined;
    throw error;
  });
};

/**
 * A deployment that does not name the imported table of the stack would make an empty one in its
 * place.
 *
 * @throws AdminError when it does not
 */
const requireTable = (deployed: Readonly<Record<string, string>>): void => {
  const inService = deployed[importedTableOutput];
  const isOtherImport = tokens.some((token) => token.kind === 'option' && token.name === importing);
  if (!inService || context.table === inService || (context.table && isOtherImport)) return;
  throw new AdminError(
    `The table in service, ${inService}, is an imported one: this deployment would replace it with ${
      context.table ?? 'an empty one'
    }. Set "table": "${inService}" under "context" in cdk.json. To import another table, add --${importing} (lib/RESTORE.md).`,
  );
};

/**
 * A deployment without the setting would let the next mistake delete the stage's table.
 *
 * @throws AdminError when this one gives up its data, and does not say so on its command line
 */
const requireKeptData = (deployed: Readonly<Record<string, string>>): void => {
  const keeps = (setting: unknown) =>
    keepsData({ stage, keepData: yesOrNo.safeParse(setting).data });
  const isGivenUp = keeps(deployed[keepDataOutput]) && !keeps(context.keepData);
  if (!isGivenUp || commandLine.keepData !== undefined) return;
  throw new AdminError(
    `The stage ${stage} keeps its data: this deployment would take the protection of its table away. Add --context keepData=true, or keepData=false to this command if its data may be deleted.`,
  );
};

const importing = 'import-existing-resources';
const cdk = join(root, 'node_modules/aws-cdk/bin/cdk');

try {
  if (values.help) {
    console.log(usage);
  } else {
    const deployed = await readDeployed();
    if (deployed) {
      requireTable(deployed);
      requireKeptData(deployed);
    }
    // With the stack that it depends on.
    const args = ['deploy', stackNameOf(stage), ...process.argv.slice(2)];
    const { status } = spawnSync(process.execPath, [cdk, ...args], { stdio: 'inherit', cwd: root });
    process.exitCode = status ?? 1;
  }
} catch (error) {
  process.exitCode = reportError(error, false);
}
