import { App } from 'aws-cdk-lib';
import { withoutValidation } from '../stack/app.ts';
import { PayerStack } from './payer-stack.ts';

// CDK_OUTDIR says where the assembly is written.
const app = new App(withoutValidation);
new PayerStack(app, 'Payer');
app.synth();
