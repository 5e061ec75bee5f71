import { App } from 'aws-cdk-lib';
import { withoutValidation } from '../stack/app.ts';
import { ConsumerStack } from './consumer-stack.ts';

// CDK_OUTDIR says where the assembly is written.
const app = new App(withoutValidation);
new ConsumerStack(app, 'Consumer');
app.synth();
