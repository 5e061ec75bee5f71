/** The tags by which the document groups its operations. */
export const tags = {
  'Payment requests': 'Requests of workers to be paid. Managers of the account approve them.',
  Sandboxes: 'Isolated test workspaces of a live workspace.',
  Offers: 'Offers are delivered to their recipients by e-mail.',
} as const;
