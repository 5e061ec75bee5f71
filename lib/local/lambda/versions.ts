import { z } from 'zod';
import type { ResourceShape } from '../template/honoured.ts';
import { functionArn } from '../template/physical-ids.ts';
import type { Template } from '../template/template.ts';
import { functionName } from './functions.ts';

const VersionProperties = z.object({ FunctionName: z.string().transform(functionName) });

const versionShape: ResourceShape<z.infer<typeof VersionProperties>> = {
  type: 'AWS::Lambda::Version',
  honoured: VersionProperties,
  withoutEffect: ['CodeSha256', 'Description', 'ProvisionedConcurrencyConfig', 'RuntimePolicy'],
};

const AliasProperties = z.object({
  FunctionName: z.string().transform(functionName),
  Name: z.string(),
});

const aliasShape: ResourceShape<z.infer<typeof AliasProperties>> = {
  type: 'AWS::Lambda::Alias',
  honoured: AliasProperties,
  withoutEffect: ['Description', 'FunctionVersion', 'ProvisionedConcurrencyConfig'],
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
