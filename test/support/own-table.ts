import { randomUUID } from 'node:crypto';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { developmentTemplate, resourceOf } from './synthesized.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The assembly of the development stage, the same but for the name of its table. */
export const assemblyWithOwnTable = (): string => {
  const { assemblyDirectory } = inject('stack');
  const template = developmentTemplate();
  const [, table] = resourceOf(template, 'AWS::DynamoDB::Table');
  table.Properties.TableName = `own-${randomUUID()}`;
  const directory = temporaryDirectory();
  for (const name of readdirSync(assemblyDirectory)) {
    const file = join(directory, name);
    if (name.endsWith('.template.json')) writeFileSync(file, JSON.stringify(template));
    else symlinkSync(join(assemblyDirectory, name), file);
  }
  return directory;
};
