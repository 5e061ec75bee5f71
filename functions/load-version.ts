import { setTimeout as sleep } from 'node:timers/promises';
// biome-ignore lint/plugin/imports: A deployment calls it, and no part of the service.
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';

/** What CloudFormation sends ("Custom resource request objects"), as far as it is read. */
interface CustomResourceRequest {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
  readonly ResourceProperties: { readonly Version: string };
}

// A new account runs ten functions at once: the tries of a throttled call take about a minute.
const lambda = new LambdaClient({ maxAttempts: 10 });

/** Loads a version with an event that does nothing. Its policy takes a while to apply. */
const load = async (FunctionName: string, tries = 12): Promise<void> => {
  try {
    const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload: '{}' }));
    if (FunctionError) throw new Error(`${FunctionName} cannot start: see its log.`);
  } catch (error) {
    if ((error as Error).name !== 'AccessDeniedException' || tries === 1) throw error;
    await sleep(5000);
    await load(FunctionName, tries - 1);
  }
};

/** Loads a new version before requests reach it, and reports whether it starts. */
export const handler = async (request: CustomResourceRequest): Promise<void> => {
  const { RequestType, ResponseURL, ResourceProperties, ...ids } = request;
  const done = RequestType === 'Delete' ? undefined : load(ResourceProperties.Version);
  const result = await Promise.resolve(done).then(
    () => ({ Status: 'SUCCESS' }),
    ({ message }: Error) => ({ Status: 'FAILED', Reason: message }),
  );
  const { StackId, RequestId, LogicalResourceId } = ids;
  const answer = { StackId, RequestId, LogicalResourceId, PhysicalResourceId: 'loaded', ...result };
  await fetch(ResponseURL, { method: 'PUT', body: JSON.stringify(answer) });
};
