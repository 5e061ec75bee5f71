import { writeFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';

// The app that the CDK is given when `npm run deploy` asks what it resolves: it reports that, and
// ends without an assembly, so that nothing can be deployed.
const { CONTEXT_FILE = '', CDK_DEFAULT_ACCOUNT, CDK_DEFAULT_REGION } = process.env;
const resolved = {
  context: new App().node.getAllContext(),
  account: CDK_DEFAULT_ACCOUNT,
  region: CDK_DEFAULT_REGION,
};
writeFileSync(CONTEXT_FILE, JSON.stringify(resolved));
process.exitCode = 1;
