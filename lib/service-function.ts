import { Duration } from 'aws-cdk-lib';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Bundles } from './bundles.ts';
import type { Settings } from './settings.ts';

export interface ServiceFunctionProps {
  readonly bundles: Bundles;
  readonly settings: Settings;
  /** The file under `functions`, without its ending. */
  readonly name: string;
  readonly timeout: Duration;
  readonly environment: Record<string, string>;
}

/** A Lambda from one file of `functions`, with a log group that ends when it should. */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { bundles, settings, name, timeout, environment } = props;
    super(scope, id, {
      description: `Workforce payments: ${name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(bundles(name)),
      // CPU grows with memory, and a cold start is all CPU; 1,769 MB would be one whole core.
      memorySize: 1024,
      timeout,
      environment: { POWERTOOLS_SERVICE_NAME: name, ...environment },
      logGroup: new LogGroup(scope, `${id}Logs`, {
        retention: settings.logRetention,
        removalPolicy: settings.removalPolicy,
      }),
    });
  }
}

/** Long enough for two calls that are retried; API Gateway itself waits 29 s at most. */
export const endpointTimeout = Duration.seconds(10);
/** For the functions behind the stream and the queues, where nobody waits. */
export const consumerTimeout = Duration.seconds(30);
