/** Commands that put a record into the queue of a local run, which checks no signature. */
export const putRecordCommands = (endpoint: string, QueueUrl: string, message: object) => {
  const MessageBody = JSON.stringify(message);
  return {
    curl: [
      `curl ${endpoint} -H 'X-Amz-Target: AmazonSQS.SendMessage'`,
      `-H 'Content-Type: application/x-amz-json-1.0'`,
      `-d '${JSON.stringify({ QueueUrl, MessageBody })}'`,
    ].join(' \\\n    '),
    aws: [
      `aws sqs send-message --endpoint-url ${endpoint} --no-sign-request --region us-east-1`,
      `--queue-url ${QueueUrl}`,
      `--message-body '${MessageBody}'`,
    ].join(' \\\n    '),
  };
};
