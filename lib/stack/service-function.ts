import { Duration, RemovalPolicy, type Stack, Token, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Bundles } from '../bundles/bundles.ts';
import { metricsNamespace } from './metrics.ts';
import type { Rollout } from './rollout.ts';
import type { Settings } from './settings.ts';

export interface ServiceFunctionProps {
  readonly bundles: Bundles;
  readonly settings: Settings;
  /** How new versions are rolled out; without it they replace the old one at once. */
  readonly rollout?: Rollout | undefined;
  /** The file under `functions`, without its ending. */
  readonly name: string;
  readonly timeout: Duration;
  readonly environment: Record<string, string>;
  readonly reservedConcurrency?: number | undefined;
}

/** A Lambda from one file of `functions`, with a role and a log group with a retention period. */
export class ServiceFunction extends LambdaFunction {
  /** The file under `functions`, without its ending. */
  readonly file: string;
  /** What callers invoke: the function, or the alias that the rollout moves to new versions. */
  readonly live: IFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { bundles, settings, name, timeout, environment } = props;
    const logGroup = new LogGroup(scope, `${id}Logs`, settings.logs);
    super(scope, id, {
      description: `Workforce payments: ${name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      // Source maps are four fifths of a zip, which every cold start loads.
      code: Code.fromAsset(bundles(name), settings.sourceMaps ? {} : { exclude: ['**/*.map'] }),
      // CPU grows with memory, and a cold start is limited by CPU; 1,769 MB is one whole core.
      memorySize: 1024,
      timeout,
      environment: {
        POWERTOOLS_SERVICE_NAME: name,
        POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(settings),
        ...(settings.sourceMaps && { NODE_OPTIONS: '--enable-source-maps' }),
        ...environment,
      },
      // Lambda itself traces the call; an X-Ray SDK in the bundle would cost every cold start.
      tracing: Tracing.ACTIVE,
      logGroup,
      // Not the CDK's own, whose managed policy allows every log group of the account.
      role: new Role(scope, `${id}Role`, {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
        description: `What ${name} may do`,
      }),
      // Calls may be under way in the previous version when the alias has left it. The version of a
      // failed deployment must not stay: Lambda publishes no second one of the same code.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...(props.reservedConcurrency && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
    });
    this.file = name;
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn);
    this.acknowledgeWildcard(
      '*',
      'Only actions without a resource type in the Service Authorization Reference are allowed on all resources; test/stack/permissions.test.ts lists them.',
    );
    this.live = props.rollout?.release(this, name) ?? this;
  }

  allow(
    actions: readonly string[],
    resource: string | readonly string[],
    conditions: Record<string, unknown> = {},
  ): void {
    this.addToRolePolicy(
      new PolicyStatement({ actions: [...actions], resources: [resource].flat(), conditions }),
    );
  }

  /**
   * Suppresses cdk-nag's finding about a wildcard in the function's policy.
   *
   * @param resource the wildcard, as cdk-nag prints it
   * @param reason why the wildcard is needed
   */
  acknowledgeWildcard(resource: string, reason: string): void {
    Validations.of(this.role ?? this).acknowledge({ id: wildcardFinding(resource), reason });
  }
}

/** An ARN of the stack's account and region as cdk-nag prints it: with references, or values. */
export const printedArnIn = (stack: Stack, service: string, resource: string): string => {
  const [partition, region, account] = [stack.partition, stack.region, stack.account].map((part) =>
    Token.isUnresolved(part) ? `<${stack.resolve(part).Ref}>` : part,
  );
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
};

export const wildcardFinding = (resource: string) => `AwsSolutions-IAM5[Resource::${resource}]`;

/** Long enough for two calls that are retried; API Gateway itself waits 29 s at most. */
export const endpointTimeout = Duration.seconds(10);
/** For the functions behind the stream and the queues, where no client waits. */
export const consumerTimeout = Duration.seconds(30);
