import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { Template } from '../cloudformation/template.ts';
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

/** What the template's functions have in common. */
export interface FunctionOptions {
  readonly onLog: (functionName: string, line: string) => void;
  /** The time that the functions see. */
  readonly clock: Clock;
  readonly fleet?: FleetOptions | undefined;
  /** Whether a debugger may hold them, so that none ends at its timeout. */
  readonly isDebugged?: boolean | undefined;
}

/** A day: what a function calculates with the time that it has left must stay possible. */
export const unlimitedMs = 86_400_000;

/** The functions that run, by logical id: those of the template that was deployed last. */
export class Functions extends Map<string, LambdaFunction> {
  readonly #options: FunctionOptions;
  readonly #fleet: Fleet;

  constructor(options: FunctionOptions) {
    super();
    this.#options = options;
    this.#fleet = new Fleet(options.fleet);
  }

  /**
   * Creates the functions, gives those that exist their new settings, and ends those that are gone.
   * A function has an instance when an event comes.
   *
   * @param environment variables over those of the template: where the SDKs find their services
   * @returns resolves when no instance of before is left
   */
  async deploy(
    wanted: ReadonlyMap<string, FunctionSettings>,
    environment: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { clock, onLog, isDebugged } = this.#options;
    const replaced: Promise<void>[] = [];
    for (const [id, lambda] of this) {
      if (wanted.get(id)?.name === lambda.name) continue;
      this.delete(id);
      replaced.push(lambda.stop());
    }
    for (const [id, template] of wanted) {
      const settings = {
        ...template,
        clock,
        environment: { ...template.environment, ...environment },
        ...(isDebugged && { timeoutMs: unlimitedMs, initTimeoutMs: unlimitedMs }),
      };
      const known = this.get(id);
      if (known) replaced.push(known.update(settings));
      else this.set(id, new LambdaFunction(settings, onLog, this.#fleet));
    }
    await Promise.all(replaced);
  }

  /**
   * Invokes a function by its name in AWS.
   *
   * @throws FunctionError, as `LambdaFunction.invoke` does
   */
  async invoke(name: string, event: unknown): Promise<unknown> {
    const target = [...this.values()].find((each) => each.name === name);
    if (target === undefined) throw new Error(`${name} is not in the template`);
    return target.invoke(event);
  }
}

/** What the template sets for its functions, by logical id. */
export const functionSettings = (template: Template): Map<string, FunctionSettings> =>
  new Map(
    template.make(functionShape, ({ logicalId, name, properties }) => {
      const { Handler: handler, ReservedConcurrentExecutions: maximumConcurrency } = properties;
      const codeDirectory = template.assetDirectory(properties.Code.S3Key);
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

/** The name of a function, from its ARN or name, with or without a version or an alias. */
export const functionName = (arnOrName: string): string =>
  /^(?:.*:function:)?([^:]+)/.exec(arnOrName)?.[1] ?? arnOrName;
