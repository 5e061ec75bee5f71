import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { TemplateReader } from '../cloudformation/template-reader.ts';
import { Fleet, type FleetOptions } from './fleet.ts';
import type { FunctionSettings } from './function-instance.ts';
import { LambdaFunction } from './lambda-function.ts';

const FunctionProperties = z.strictObject({
  FunctionName: z.string().optional(),
  Code: z.strictObject({ S3Bucket: withoutEffect, S3Key: z.string() }),
  Handler: z.string(),
  Runtime: z.literal('nodejs24.x'),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  Environment: z.strictObject({ Variables: z.record(z.string(), z.string()) }).optional(),
  ReservedConcurrentExecutions: z.number().optional(),
  Architectures: withoutEffect,
  Description: withoutEffect,
  LoggingConfig: z.strictObject({ LogGroup: withoutEffect }).optional(),
  Role: withoutEffect,
  TracingConfig: withoutEffect,
});

const functionShape: ResourceShape<z.infer<typeof FunctionProperties>> = {
  type: 'AWS::Lambda::Function',
  schema: FunctionProperties,
};

/** Reads what the template sets for its functions, by logical id. */
export const readFunctionSettings = (reader: TemplateReader): Map<string, FunctionSettings> =>
  new Map(
    reader.make(functionShape, ({ logicalId, name, properties }) => {
      const { Handler: handler, ReservedConcurrentExecutions: maximumConcurrency } = properties;
      const codeDirectory = reader.template.assetDirectory(properties.Code.S3Key);
      const module = `${handler.split('.')[0]}.mjs`;
      if (!existsSync(join(codeDirectory, module))) throw new Error(`Handler needs ${module}`);
      const settings = {
        name,
        codeDirectory,
        handler,
        timeoutMs: properties.Timeout * 1000,
        memoryMb: properties.MemorySize,
        environment: properties.Environment?.Variables ?? {},
        ...(maximumConcurrency !== undefined && { maximumConcurrency }),
      };
      return [logicalId, settings];
    }),
  );

/** What functions have in common when they run. */
export interface FunctionOptions {
  /** Variables over those of the template: where the SDKs find their services. */
  readonly environment: Readonly<Record<string, string>>;
  /** The time that the functions see. */
  readonly clock: Clock;
  readonly fleet: FleetOptions | undefined;
  /** Whether a debugger may hold them, so that none ends at its timeout. */
  readonly isDebugged: boolean | undefined;
  readonly onLog: (functionName: string, line: string) => void;
}

/** A day: what a function calculates with the time that it has left must stay possible. */
export const unlimitedMs = 86_400_000;

/** Creates functions that share a fleet. Each has an instance when an event comes. */
export const createFunctions = (
  settings: ReadonlyMap<string, FunctionSettings>,
  { environment, clock, fleet: fleetOptions, isDebugged, onLog }: FunctionOptions,
): Map<string, LambdaFunction> => {
  const fleet = new Fleet(fleetOptions);
  const create = (template: FunctionSettings) =>
    new LambdaFunction(
      {
        ...template,
        clock,
        environment: { ...template.environment, ...environment },
        ...(isDebugged && { timeoutMs: unlimitedMs, initTimeoutMs: unlimitedMs }),
      },
      onLog,
      fleet,
    );
  return new Map([...settings].map(([logicalId, each]) => [logicalId, create(each)]));
};
