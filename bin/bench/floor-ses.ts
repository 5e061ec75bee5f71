import { SESv2Client } from '@aws-sdk/client-sesv2';

export { handler, sqs } from './floor-sqs.ts';

/** What a function that mails loads besides. */
export const ses = new SESv2Client();
