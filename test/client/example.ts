import { paymentsClient, sandboxes } from './payments-client.ts';

const [baseUrl = 'http://127.0.0.1:3000', token = '', id = 'ofr_sent'] = process.argv.slice(2);
const client = paymentsClient(baseUrl, token);

for await (const { name, status } of sandboxes(client)) console.log(name, status); // page by page

const { data, error } = await client.POST('/v1/offers/{id}/resend', {
  params: { path: { id }, header: { 'Idempotency-Key': crypto.randomUUID() } },
});
if (error?.code === 'offer_not_sent')
  console.error(error.detail); // other codes do not type-check
else console.log(data?.delivery.attempts);
