import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { expect, onTestFinished, test } from 'vitest';
import { startMailbox } from '../ses/mailbox.ts';
import { clientOf } from './client-of.ts';

test('no page of another site reads the mails or clears them', async () => {
  const { url, stop } = await startMailbox(() => {});
  onTestFinished(stop);
  const { port } = new URL(url);
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const sent = request(`${url}${path}`, { method, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return [response.statusCode, await json(response)];
  };
  const mails = async () => (await fetch(`${url}/store`)).json();
  await ask('POST', '/clear-store');
  const text = { Data: 'Hi' };
  const mail = {
    FromEmailAddress: 'a@example.com',
    Destination: { ToAddresses: ['b@example.com'] },
    Content: { Simple: { Subject: text, Body: { Text: text } } },
  };
  await clientOf(SESv2Client, url).send(new SendEmailCommand(mail));

  for (const Host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example']) {
    const message = `The header Host must be 127.0.0.1, localhost or [::1], not ${Host}.`;
    expect(await ask('GET', '/store', { Host })).toEqual([403, { message }]);
    expect(await ask('POST', '/clear-store', { Host })).toEqual([403, { message }]);
  }
  for (const Origin of ['https://evil.example', 'null', `http://127.0.0.1:${Number(port) + 1}`]) {
    const message = `The header Origin must be ${url}, not ${Origin}.`;
    expect(await ask('POST', '/clear-store', { Origin })).toEqual([403, { message }]);
  }
  expect(await mails()).toMatchObject({ emails: [{}] });

  const Host = `localhost:${port}`;
  const own = { Host, Origin: `http://${Host}` };
  expect(await ask('POST', '/clear-store', own)).toMatchObject([200, {}]);
  expect(await mails()).toMatchObject({ emails: [] });
});
