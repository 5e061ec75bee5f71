import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The secret of a local stack, which authenticates cursors, as its data directory keeps it. */
export const cursorSecretIn = (
  dataDirectory: string,
): { readonly arn: string; readonly value: string } => {
  const file = join(dataDirectory, 'secrets.json');
  const secrets: Record<string, { versions: { AWSCURRENT: { value: string } } }> = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const [secret, ...others] = Object.entries(secrets);
  if (!secret || others.length > 0) throw new Error(`${file} does not hold one secret.`);
  const [arn, { versions }] = secret;
  return { arn, value: versions.AWSCURRENT.value };
};
