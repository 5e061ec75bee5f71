/** A command that puts a record into the queue of a local run, which checks no signature. */
export const putRecordCommand = (endpoint: string, QueueUrl: string, message: object): string =>
  [
    `curl ${endpoint} -H 'X-Amz-Target: AmazonSQS.SendMessage'`,
    `-H 'Content-Type: application/x-amz-json-1.0'`,
    `-d '${JSON.stringify({ QueueUrl, MessageBody: JSON.stringify(message) })}'`,
  ].join(' \\\n    ');
