import {
  type FunctionSettings,
  type QueueService,
  readFunctions,
} from '../../lib/local/local-engine.ts';

/**
 * Reads the functions of a template.
 *
 * @returns what gives the one that is deployed from `functions/<name>.ts`
 */
export const readDeployed = async (
  assemblyDirectory: string,
  queues: QueueService,
  sqsUrl: string,
): Promise<(name: string) => FunctionSettings> => {
  const functions = await readFunctions(assemblyDirectory, queues, sqsUrl);
  return (name) => {
    const found = functions.find((each) => each.environment.POWERTOOLS_SERVICE_NAME === name);
    if (!found) throw new Error(`No function of the template is functions/${name}.ts.`);
    return found;
  };
};
