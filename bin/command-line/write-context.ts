import { writeFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { checkContextFiles } from '../../lib/context-files.ts';
import { readSettings, SettingsError } from '../../lib/settings.ts';

// The app that the CDK is given when `npm run deploy` asks what it resolves: it reports that, and
// ends without an assembly, so that nothing can be deployed.
const { CONTEXT_FILE = '', CDK_DEFAULT_ACCOUNT, CDK_DEFAULT_REGION } = process.env;
const resolve = () => {
  try {
    checkContextFiles();
    const settings = readSettings(new App().node);
    return { settings, account: CDK_DEFAULT_ACCOUNT, region: CDK_DEFAULT_REGION };
  } catch (error) {
    if (error instanceof SettingsError) return { wrong: error.message };
    throw error;
  }
};
writeFileSync(CONTEXT_FILE, JSON.stringify(resolve()));
process.exitCode = 1;
