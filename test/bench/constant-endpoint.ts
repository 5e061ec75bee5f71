import type { APIGatewayProxyResult } from 'aws-lambda';
import { ApprovePaymentRequest } from '../../functions/domain/payment-request.ts';
import { routes } from '../../functions/domain/routes.ts';
import { endpoint } from '../../functions/http/endpoint.ts';

const answer = {
  id: 'ptr_01M7YKCCJQAP3MVE6ENW7BJFTG',
  worker: 'wr_01M7YKCCJQAP3MVE6ENW7BJFTG',
  amount: '1250.00',
  currency: 'USD',
  status: 'approved',
  reference: 'INV-2041',
  note: 'October retainer',
  period: { starts: '2026-10-01', ends: '2026-10-31' },
  documents: [],
  approvals: ['apprdec_01M7YKCCJQAP3MVE6ENW7BJFTG'],
  payment: null,
  created: '2026-11-21T08:25:22.667Z',
};

/** Everything that an endpoint does besides its work: reading, checking, logging, counting. */
export const handler = endpoint(routes.approvePaymentRequest, {
  body: ApprovePaymentRequest,
  decide: () => ({ answer }),
});

/** The same answer with nothing around it. */
export const bare = async (): Promise<APIGatewayProxyResult> => ({
  statusCode: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(answer),
});
