import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { ResourceShape } from '../template/honoured.ts';
import type { Template } from '../template/template.ts';
import { Fleet, type FleetOptions } from './fleet.ts';
import type { FunctionSettings } from './function-instance.ts';
import { LambdaFunction } from './lambda-function.ts';

const FunctionProperties = z.object({
  FunctionName: z.string().optional(),
  Code: z.object({ S3Key: z.string() }),
  Handler: z.string(),
  Runtime: z.string().startsWith('nodejs'),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  Environment: z.object({ Variables: z.record(z.string(), z.coerce.string()) }).optional(),
  ReservedConcurrentExecutions: z.number().optional(),
  // Nothing of it is honoured, so that all but its group is reported.
  LoggingConfig: z.object({}).optional(),
});

const functionShape: ResourceShape<z.infer<typeof FunctionProperties>> = {
  type: 'AWS::Lambda::Function',
  honoured: FunctionProperties,
  withoutEffect: [
    'Architectures',
    'Code.S3Bucket',
    'Description',
    'KmsKeyArn',
    'LoggingConfig.LogGroup',
    'RecursiveLoop',
    'Role',
    'SnapStart',
    'Tags',
    'TracingConfig',
    'VpcConfig',
  ],
};

/** What the template's functions have in common. */
export interface FunctionOptions {
  /** Where the SDKs inside the functions find their services, and whatever a test wants to set. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onLog: (functionName: string, line: string) => void;
  /** The time that the functions see. */
  readonly clock: Clock;
  readonly fleet?: FleetOptions | undefined;
}

/** The template's functions by logical id. None has an instance yet. */
export const createFunctions = (
  template: Template,
  { environment, onLog, clock, fleet: fleetOptions }: FunctionOptions,
): Map<string, LambdaFunction> => {
  const fleet = new Fleet(fleetOptions);
  const create = (settings: FunctionSettings) =>
    new LambdaFunction(
      { ...settings, clock, environment: { ...settings.environment, ...environment } },
      onLog,
      fleet,
    );
  return new Map([...functionSettings(template)].map(([id, settings]) => [id, create(settings)]));
};

/** What the template sets for its functions, by logical id. */
export const functionSettings = (template: Template): Map<string, FunctionSettings> => {
  const nodeVersion = `nodejs${process.versions.node.split('.')[0]}.x`;
  return new Map(
    template.read(functionShape).map(({ logicalId, name, properties }) => {
      if (properties.Runtime !== nodeVersion) {
        template.report(`Runtime ${properties.Runtime} of ${logicalId}; it runs on ${nodeVersion}`);
      }
      const { ReservedConcurrentExecutions: maximumConcurrency } = properties;
      const settings = {
        name,
        codeDirectory: template.assetDirectory(properties.Code.S3Key),
        handler: properties.Handler,
        timeoutMs: properties.Timeout * 1000,
        memoryMb: properties.MemorySize,
        environment: properties.Environment?.Variables ?? {},
        ...(maximumConcurrency !== undefined && { maximumConcurrency }),
      };
      return [logicalId, settings];
    }),
  );
};

/** The name in what names a function: its ARN or the name itself, with or without a version or an alias. */
export const functionName = (arnOrName: string): string =>
  /^(?:.*:function:)?([^:]+)/.exec(arnOrName)?.[1] ?? arnOrName;
