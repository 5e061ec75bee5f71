import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { expect, onTestFinished, test } from 'vitest';
import { startMailbox } from '../ses/mailbox.ts';
import { clientOf } from './client-of.ts';

test('no page of another site reads the mails or clears them', async () => {
  const mailbox = await startMailbox(() => {});
  onTestFinished(() => mailbox.stop());
  const { port } = new URL(mailbox.url);
  const ask = async (method: string, path: string, headers: Record<string, string>) => {
    const sent = request(`${mailbox.url}${path}`, { method, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return [response.statusCode, JSON.parse(await text(response))];
  };
  const clear = (headers: Record<string, string>) => ask('POST', '/clear-store', headers);
  const mails = async () => (await ask('GET', '/store', {}))[1].emails;
  await clear({});
  await clientOf(SESv2Client, mailbox.url).send(
    new SendEmailCommand({
      FromEmailAddress: 'a@example.com',
      Destination: { ToAddresses: ['b@example.com'] },
      Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hi' } } } },
    }),
  );

  for (const Host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example']) {
    const message = `The header Host must be 127.0.0.1, localhost or [::1], not ${Host}.`;
    expect(await ask('GET', '/store', { Host })).toEqual([403, { message }]);
    expect(await clear({ Host })).toEqual([403, { message }]);
  }
  for (const Origin of ['https://evil.example', 'null', `http://127.0.0.1:${Number(port) + 1}`]) {
    const message = `The header Origin must be ${mailbox.url}, not ${Origin}.`;
    expect(await clear({ Origin })).toEqual([403, { message }]);
  }
  expect(await mails()).toHaveLength(1);

  const Host = `localhost:${port}`;
  expect((await clear({ Host, Origin: `http://${Host}` }))[0]).toBe(200);
  expect(await mails()).toEqual([]);
});
