import { randomInt } from 'node:crypto';
import { z } from 'zod';

/** How CloudFormation generates a secret, with its defaults. */
export const GenerateSecretString = z.strictObject({
  PasswordLength: z.number().default(32),
  ExcludePunctuation: z.boolean().default(false),
});

const types = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];
/** The characters that "GetRandomPassword" in the Secrets Manager API reference counts. */
const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** A value with at least one character of each type. */
export const generateSecret = ({
  PasswordLength,
  ExcludePunctuation,
}: z.infer<typeof GenerateSecretString>): string => {
  const allowed = ExcludePunctuation ? types : [...types, punctuation];
  const all = allowed.join('');
  // Drawing again until every type occurs keeps each possible password equally likely.
  for (;;) {
    const drawn = Array.from({ length: PasswordLength }, () => all.charAt(randomInt(all.length)));
    const isComplete = allowed.every((type) => drawn.some((character) => type.includes(character)));
    if (isComplete) return drawn.join('');
  }
};
