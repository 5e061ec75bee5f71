import { App } from 'aws-cdk-lib';
import { PayerStack } from './payer-stack.ts';

// CDK_OUTDIR says where the assembly is written. Validation takes longer than all the rest.
const app = new App({ builtinCloudFormationValidation: false });
new PayerStack(app, 'Payer');
app.synth();
