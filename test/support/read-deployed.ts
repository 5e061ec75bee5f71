import { type LocalService, localEnvironment } from '../../bin/stack-file/local-environment.ts';
import {
  type FunctionSettings,
  type QueueService,
  readFunctions,
} from '../../lib/local/local-engine.ts';

/**
 * Reads the functions of a template.
 *
 * @returns what gives the one that is deployed from `functions/<name>.ts`, in these surroundings
 *   and with variables over those it has
 */
export const readDeployed = async (
  assemblyDirectory: string,
  queues: QueueService,
  surroundings: LocalService,
): Promise<(name: string, environment?: Record<string, string>) => FunctionSettings> => {
  const { sqs } = surroundings.endpoints;
  const functions = await readFunctions(assemblyDirectory, queues, sqs);
  return (name, environment) => {
    const found = functions.find((each) => each.environment.POWERTOOLS_SERVICE_NAME === name);
    if (!found) throw new Error(`No function of the template is functions/${name}.ts.`);
    const own = { ...found.environment, ...localEnvironment(surroundings), ...environment };
    return { ...found, environment: own };
  };
};
