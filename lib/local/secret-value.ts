import { randomInt } from 'node:crypto';
import { z } from 'zod';

/** How CloudFormation generates a secret, with its defaults. */
export const GenerateSecretString = z.object({
  PasswordLength: z.number().default(32),
  ExcludeCharacters: z.string().default(''),
  ExcludeLowercase: z.boolean().default(false),
  ExcludeNumbers: z.boolean().default(false),
  ExcludePunctuation: z.boolean().default(false),
  ExcludeUppercase: z.boolean().default(false),
  IncludeSpace: z.boolean().default(false),
  SecretStringTemplate: z.string().optional(),
  GenerateStringKey: z.string().optional(),
});
/** How CloudFormation generates a secret. */
export type GenerateSecretString = z.infer<typeof GenerateSecretString>;

/** A secret without either property is created empty, and has no value to get; here it is ''. */
export const generateSecret = (options: GenerateSecretString | undefined): string => {
  if (options === undefined) return '';
  const password = generatePassword(options);
  const { SecretStringTemplate, GenerateStringKey } = options;
  if (SecretStringTemplate === undefined || GenerateStringKey === undefined) return password;
  return JSON.stringify({ ...JSON.parse(SecretStringTemplate), [GenerateStringKey]: password });
};

const generatePassword = (options: GenerateSecretString): string => {
  const allowed = (characters: string) =>
    [...characters].filter((character) => !options.ExcludeCharacters.includes(character));
  const types = [
    options.ExcludeLowercase ? [] : allowed('abcdefghijklmnopqrstuvwxyz'),
    options.ExcludeUppercase ? [] : allowed('ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
    options.ExcludeNumbers ? [] : allowed('0123456789'),
    // The characters that "GetRandomPassword" in the Secrets Manager API reference counts.
    options.ExcludePunctuation ? [] : allowed('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'),
    options.IncludeSpace ? allowed(' ') : [],
  ].filter((characters) => characters.length > 0);
  const all = types.flat();

  // Drawing again until every type occurs keeps each possible password equally likely.
  for (;;) {
    const drawn = Array.from({ length: options.PasswordLength }, () => all[randomInt(all.length)]);
    const complete = types.every((type) => type.some((character) => drawn.includes(character)));
    if (complete) return drawn.join('');
  }
};
