import type { OperationId } from './operations.ts';

/** A request that an answer makes possible, as OpenAPI describes it ("Link Object"). */
interface Link {
  readonly operationId: OperationId;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The links of an operation's success, by name. */
export const links: Record<OperationId, Readonly<Record<string, Link>>> = {
  approvePaymentRequest: {
    ApproveAgain: {
      operationId: 'approvePaymentRequest',
      description: 'Another approval of the same payment request.',
      parameters: { id: '$response.body#/id' },
    },
  },
  createSandbox: {
    OlderSandboxes: {
      operationId: 'listSandboxes',
      description: 'The sandboxes that were created before this one.',
      parameters: { starting_after: '$response.body#/id' },
    },
    NewerSandboxes: {
      operationId: 'listSandboxes',
      description: 'The sandboxes that were created after this one.',
      parameters: { ending_before: '$response.body#/id' },
    },
  },
  listSandboxes: {
    NextPage: {
      operationId: 'listSandboxes',
      description: 'The next page in the same direction, if the page has a `cursor`.',
      parameters: { cursor: '$response.body#/cursor' },
    },
  },
  resendOffer: {
    ResendAgain: {
      operationId: 'resendOffer',
      description: 'Another delivery attempt of the same offer.',
      parameters: { id: '$response.body#/id' },
    },
  },
};
