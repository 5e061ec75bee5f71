import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { environment } from '../runtime/environment.ts';
import { sqs } from './sqs.ts';

/** Makes a message a dead letter that its queue would still let come again. */
export const giveUp = async (MessageBody: string): Promise<void> => {
  await sqs.send(
    new SendMessageCommand({ QueueUrl: environment('DEAD_LETTERS_URL'), MessageBody }),
  );
};
