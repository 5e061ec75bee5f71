import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isSetting, SettingsError } from './settings.ts';

/**
 * The files of which the CDK merges the context, member by member and in all depths, each over the
 * next one: a stage in ~/.cdk.json would add settings to the same stage in cdk.json.
 */
const files = (): [name: string, path: string, hasContext: boolean][] => [
  ['cdk.json', 'cdk.json', true],
  ['cdk.context.json', 'cdk.context.json', false],
  ['~/.cdk.json', join(homedir(), '.cdk.json'), true],
];

/** @throws SettingsError a sentence about each setting in a file that is not its place */
export const checkContextFiles = (): void => {
  const sentences = files()
    .filter(([, path]) => existsSync(path))
    .flatMap(([name, path, hasContext]) => {
      const content = JSON.parse(readFileSync(path, 'utf8'));
      const context = (hasContext ? content.context : content) ?? {};
      return Object.keys(context)
        .filter((key) => isSetting(key) || (key === 'stages' && name !== 'cdk.json'))
        .map((key) => `${name} has the context ${key}. Its place is ${placeOf(key)}.`);
    });
  if (sentences.length > 0) throw new SettingsError(sentences.join('\n'));
};

const placeOf = (key: string) =>
  ({
    stage: 'the command line: --context stage=prod',
    stages: '"context" in cdk.json, which everybody has',
  })[key] ?? `a stage in cdk.json: "context": { "stages": { "prod": { "${key}": … } } }`;
