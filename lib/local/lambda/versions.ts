import { z } from 'zod';
import { functionArn } from '../cloudformation/physical-ids.ts';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { Template } from '../cloudformation/template.ts';
import { functionName } from './functions.ts';

const VersionProperties = z.strictObject({ FunctionName: z.string().transform(functionName) });

const versionShape: ResourceShape<z.infer<typeof VersionProperties>> = {
  type: 'AWS::Lambda::Version',
  schema: VersionProperties,
};

const AliasProperties = z.strictObject({
  FunctionName: z.string().transform(functionName),
  FunctionVersion: withoutEffect,
  Name: z.string(),
});

const aliasShape: ResourceShape<z.infer<typeof AliasProperties>> = {
  type: 'AWS::Lambda::Alias',
  schema: AliasProperties,
};

/**
 * Supplies the template with the ARNs of versions and aliases. A function has one code here, so
 * all of its versions and aliases invoke the same function.
 */
export const nameVersions = (template: Template): void => {
  for (const { logicalId, properties } of template.read(versionShape)) {
    const arn = `${functionArn(properties.FunctionName)}:1`;
    template.supply(logicalId, { ref: arn, attributes: { FunctionArn: arn, Version: '1' } });
  }
  for (const { logicalId, properties } of template.read(aliasShape)) {
    const arn = `${functionArn(properties.FunctionName)}:${properties.Name}`;
    template.supply(logicalId, { ref: arn, attributes: { AliasArn: arn } });
  }
};
