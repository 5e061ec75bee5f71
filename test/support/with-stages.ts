const asModule = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;

/** The value of NODE_OPTIONS with which a program reads these stages in place of bin/stages.ts. */
export const withStages = (stages: object): string =>
  withStagesFile(`export const stages = ${JSON.stringify(stages)};`);

/** The same for a file with this source. */
export const withStagesFile = (source: string): string => {
  const url = asModule(source);
  const hook = asModule(`
    import { registerHooks } from 'node:module';
    const resolve = (specifier, context, next) =>
      specifier.endsWith('/stages.ts')
        ? { url: ${JSON.stringify(url)}, shortCircuit: true }
        : next(specifier, context);
    registerHooks({ resolve });`);
  return `--import=${hook}`;
};
