/** The resources of a service that commands need besides the table. */
export interface Resources {
  /** By name, such as `mail-events`; without a URL where a stream takes the place of the queue. */
  readonly queues: Record<string, { url?: string; deadLetters: string }>;
  readonly eventBus: string | undefined;
}

/** The resources in a stack's outputs. */
export const resourcesIn = (outputs: Readonly<Record<string, string>>): Resources => ({
  queues: queueUrls(outputs),
  eventBus: outputs.EventBusArn,
});

/** The queues in a stack's outputs: `XQueueUrl` and `XDeadLettersUrl` are the queue `x`. */
export const queueUrls = (outputs: Readonly<Record<string, string>>): Resources['queues'] =>
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
