/** The tags by which the document groups its operations. */
export const tags = {
  'Payment requests': 'Requests of workers to be paid. Managers of the account approve them.',
  Sandboxes: 'Isolated test workspaces of a live workspace.',
  Offers: 'Offers are delivered to their recipients by e-mail.',
} as const;

/** The tag of the webhooks. */
export const eventTag = {
  Events: `Committed changes are published as events on an Amazon EventBridge bus of the installation. Its operator can send them to an HTTP endpoint.

- **At least once**: an event may come again. Ignore an \`id\` that you have processed.
- **In no particular order**: decide by \`time\`, and by the status in \`data\`.
- **Later, not never**: an event exists only if the effect does, and comes within seconds unless something is down.
- Ignore types and members that you do not know.`,
} as const;
