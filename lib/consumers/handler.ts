import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { PaymentsEvent } from 'workforce-payments-client';

createServer(async (request, response) => {
  try {
    const { type, data } = (await json(request)) as PaymentsEvent;
    console.log(type, data);
  } catch {
    response.statusCode = 400;
  }
  response.end();
}).listen(4000, '127.0.0.1');
