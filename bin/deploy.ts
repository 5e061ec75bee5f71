import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tableContext } from '../lib/settings.ts';
import { importedTableOutput } from '../lib/stack.ts';
import { readOutputs } from './admin/service/connect.ts';
import { AdminError } from './admin/terminal/admin-error.ts';
import { reportError } from './admin/terminal/report-error.ts';

const root = join(import.meta.dirname, '..');

const usage = `Usage: npm run deploy -- [options of cdk deploy]

Runs \`cdk deploy\`, unless it would replace the imported table of the stage with another one.

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
const context: Readonly<Record<string, string>> = {
  ...JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')).context,
  ...Object.fromEntries(
    ((values.context ?? []) as string[]).map((each) => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(each) ?? [];
      return [name, value];
    }),
  ),
};

/**
 * A deployment that does not name the imported table of the stack would make an empty one in its
 * place.
 *
 * @throws AdminError when it does not
 */
const requireTable = async (): Promise<void> => {
  const stage = context.stage === 'prod' ? 'prod' : 'dev';
  const { profile } = values as { profile?: string };
  const outputs = await readOutputs(stage, { profile }).catch((error: AdminError) => {
    // A stage that was never deployed.
    if (/does not exist/.test(String((error.cause as Error)?.message))) return undefined;
    throw error;
  });
  const inService = outputs?.[importedTableOutput];
  const name = tableContext(stage);
  const isOtherImport = tokens.some((token) => token.kind === 'option' && token.name === importing);
  if (!inService || context[name] === inService || (context[name] && isOtherImport)) return;
  throw new AdminError(
    `The table in service, ${inService}, is an imported one: this deployment would replace it with ${
      context[name] ?? 'an empty one'
    }. Set "${name}": "${inService}" under "context" in cdk.json. To import another table, add --${importing} (lib/RESTORE.md).`,
  );
};

const importing = 'import-existing-resources';

try {
  if (values.help) {
    console.log(usage);
  } else {
    await requireTable();
    const args = [join(root, 'node_modules/aws-cdk/bin/cdk'), 'deploy', ...process.argv.slice(2)];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: root });
    process.exitCode = status ?? 1;
  }
} catch (error) {
  process.exitCode = reportError(error, false);
}
