/** By name, such as `mail-events`; without a URL where a stream takes the place of the queue. */
export type QueueUrls = Readonly<Record<string, { url?: string; deadLetters: string }>>;

/** The queues in a stack's outputs: `XQueueUrl` and `XDeadLettersUrl` are the queue `x`. */
export const queueUrls = (outputs: Readonly<Record<string, string>>): QueueUrls =>
  Object.fromEntries(
    Object.entries(outputs).flatMap(([output, deadLetters]) => {
      const name = /^(.+)DeadLettersUrl$/.exec(output)?.[1];
      const url = outputs[`${name}QueueUrl`];
      return name ? [[kebabCase(name), { ...(url && { url }), deadLetters }]] : [];
    }),
  );

/** `MailEvents` as operators type it: `mail-events`. */
export const kebabCase = (name: string) =>
  name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
