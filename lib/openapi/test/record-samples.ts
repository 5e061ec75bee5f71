import { offerRecord, requestRecord } from '../../../test/support/records.ts';

const message = { workspace: 'wsp_1', version: 1 };
const paymentRequest = requestRecord();
const offer = offerRecord({ status: 'sent' });

const requestWith = (fields: object) => ({
  ...message,
  payment_request: { ...paymentRequest, ...fields },
});
const offerTo = (recipient_email: string) => ({ ...message, offer: { ...offer, recipient_email } });
const withTexts = (text: string) => [requestWith({ reference: text }), requestWith({ note: text })];
/** With this at the end of each member that has a form. */
const endingWith = (end: string) => [
  { ...message, workspace: `wsp_1${end}`, payment_request: paymentRequest },
  ...(['id', 'worker', 'amount', 'currency', 'created'] as const).map((name) =>
    requestWith({ [name]: paymentRequest[name] + end }),
  ),
  requestWith({ period: { ...paymentRequest.period, ends: paymentRequest.period.ends + end } }),
  offerTo(`there@example.com${end}`),
];

/** Messages that every validator of record.schema.json accepts. */
export const accepted: readonly object[] = [
  { ...message, payment_request: paymentRequest },
  { ...message, offer },
  { ...message, offer, send: true },
  ...['\u00e9', '\u200d\u{1f468}', 'a\u2003b', '\u0663'].map((reference) =>
    requestWith({ reference, note: reference }),
  ),
  ...['2024-02-29t23:59:60.5+05:30', '2026-10-31 09:00:00Z'].map((created) =>
    requestWith({ created }),
  ),
  requestWith({ documents: [{ pages: [1.5, null] }], payment: { paid: true } }),
  offerTo('a.b+c@sub.xn--p1ai'),
];

/** Messages that each of them refuses. */
export const refused: readonly object[] = [
  message,
  { ...message, offer: { ...offer, status: 'draft' }, send: true },
  { ...message, payment_request: paymentRequest, send: true },
  { ...message, payment_request: paymentRequest, offer },
  { ...message, payment_request: paymentRequest, version: 0 },
  requestWith({ status: 'approved' }),
  requestWith({ approvals: [] }),
  requestWith({ documents: [{ constructor: 1 }] }),
  ...['00.10', '1.0', '\u0661.\u0660\u0660'].map((amount) => requestWith({ amount })),
  ...['', ' \u00a0\u3000', '\u200b', '\u2800'].map((reference) => requestWith({ reference })),
  ...['a\nb', 'a\u0085', '\u202ea', 'a\u2066', '\ufffd', 'a\ufffe', 'a\uffff'].map((note) =>
    requestWith({ note }),
  ),
  ...['2026-02-29T09:00:00Z', '2026-10-31T24:00:00Z', '\u0662026-10-31T09:00:00Z'].map((created) =>
    requestWith({ created }),
  ),
  ...['a@b', 'a..b@example.com', `${'a'.repeat(65)}@b.com`, '\u00e9@b.com'].map(offerTo),
  ...['=?utf-8?q?a?=@example.com', 'a=?@b.com'].map(offerTo),
  ...['\n', '\r\n', '\r', '\u0085'].flatMap((end) => [
    ...endingWith(end),
    ...withTexts(paymentRequest.reference + end),
  ]),
];

/** Messages that those refuse whose `$` is not that of Java. */
export const refusedByMost: readonly object[] = ['\u2028', '\u2029'].flatMap(endingWith);

/** Messages that no pattern refuses, but the service. */
export const refusedByService: readonly object[] = ['\u200b\u2028', 'a\u2028', 'a\u2029'].flatMap(
  withTexts,
);
