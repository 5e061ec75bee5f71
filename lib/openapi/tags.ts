/** The tags by which the document groups its operations. */
export const tags = {
  'Payment requests': 'Requests of workers to be paid. Managers of the account approve them.',
  Sandboxes: 'Isolated test workspaces of a live workspace.',
  Offers: 'Offers are delivered to their recipients by e-mail.',
} as const;

/** The tag of the webhooks. */
export const eventTag = {
  Events: `Committed changes are published as events on an Amazon EventBridge bus of the installation. Its operator can send them to an HTTP endpoint.

- **At least once**: an event may be repeated. Ignore an \`id\` that you have processed.
- **In any order**: compare \`time\`, and the status in \`data\`.
- **For every committed effect, and no other**: an event arrives within seconds, or later after an outage.
- Ignore unknown types and members.`,
} as const;
