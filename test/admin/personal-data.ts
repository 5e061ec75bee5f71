import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { loadOffer } from '../../bin/admin/table/offers.ts';
import { scan } from '../../bin/admin/table/scan.ts';
import { queueUrls } from '../../bin/local-run/resources.ts';
import { send } from '../support/http.ts';
import { approve, resend } from '../support/keyed-operations.ts';
import { stack } from '../support/running-stack.ts';
import { confidential, mailEvent } from '../support/sample-mail-events.ts';
import { newOffer, newPaymentRequest, newTenant } from '../support/tenants.ts';

/** The items of the table that hold a text. */
export const itemsWith = async (text: string) =>
  (await Array.fromAsync(scan())).filter((item) => JSON.stringify(item).includes(text));

/** Personal data in all members of a payment request that may hold some. */
export const personal = (secret: string) => ({
  note: `Note of ${secret}`,
  reference: `INV ${secret}`,
  documents: [{ name: secret }],
  payment: { iban: secret },
});

/** The queue of the events of mails. */
export const mailEventsUrl = String(queueUrls(stack.outputs)['mail-events']?.url);

/** Sends a message to a queue. */
export const sendMessage = (QueueUrl: string, MessageBody: string) =>
  new SQSClient({ endpoint: stack.endpoints.sqs }).send(
    new SendMessageCommand({ QueueUrl, MessageBody }),
  );

/** A request of a client, with a key or without. */
export interface ClientAct {
  readonly what: 'approve' | 'resend';
  readonly key: number | null;
}

/** A client of a tenant that has personal data in all places. */
export const newClient = async (secret: string) => {
  const { workspace, token, manager } = await newTenant();
  const offer = await newOffer(workspace, { recipient_email: `${secret}@example.com` });
  const request = await newPaymentRequest(workspace, personal(secret));
  const approval = { id: request.id, manager, reason: `Reason of ${secret}` };
  const act = ({ what, key }: ClientAct) => {
    const sender = { token, ...(key !== null && { key: `k${key}` }) };
    return what === 'approve' ? send(approve, approval, sender) : send(resend, offer, sender);
  };
  const mail = async () => {
    const { attempts } = await loadOffer(offer.id);
    const body = attempts[0] && mailEvent(attempts[0], 'permanentBounce', workspace);
    if (body) {
      const address = `${secret}@example.com`;
      await sendMessage(mailEventsUrl, body.replaceAll(confidential.emailAddress, address));
    }
  };
  return { workspace, subjects: [request.id, offer.id], act, mail };
};
