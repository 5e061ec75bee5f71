import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { expect, onTestFinished, test } from 'vitest';
import { type AcceptedMail, startMailbox } from '../ses/mailbox.ts';
import { simulatorEvents } from '../ses/mailbox-simulator.ts';
import { clientOf } from './client-of.ts';

test('no page of another site clears the mails', async () => {
  const { url, stop } = await startMailbox(() => {});
  onTestFinished(stop);
  const local = url.replace('127.0.0.1', 'localhost');
  const clear = async (address: string, Origin?: string) => {
    const headers = new Headers(Origin ? { Origin } : {});
    const response = await fetch(`${address}/clear-store`, { method: 'POST', headers });
    return [response.status, await response.json()];
  };
  const mails = async () => (await fetch(`${url}/store`)).json();
  await clear(url);
  const text = { Data: 'Hi' };
  const mail = {
    FromEmailAddress: 'a@example.com',
    Destination: { ToAddresses: ['b@example.com'] },
    Content: { Simple: { Subject: text, Body: { Text: text } } },
  };
  await clientOf(SESv2Client, url).send(new SendEmailCommand(mail));

  for (const origin of ['https://evil.example', 'null', `${url}1`, local]) {
    const message = `The header Origin must be ${url}, not ${origin}.`;
    expect(await clear(url, origin)).toEqual([403, { message }]);
  }
  expect(await mails()).toMatchObject({ emails: [{}] });

  expect(await clear(local, local)).toMatchObject([200, {}]);
  expect(await mails()).toMatchObject({ emails: [] });
});

test('a mail to the simulator has its event, whatever else its destination says', () => {
  const Destination = { ToAddresses: ['bounce@simulator.amazonses.com'], X: [{ toString: 'x' }] };
  const mail = { messageId: '1', input: { Destination } } as unknown as AcceptedMail;
  expect(simulatorEvents(mail, 0)).toMatchObject([{ 'detail-type': 'Email Bounced' }]);
});
