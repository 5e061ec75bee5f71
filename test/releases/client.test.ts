import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { warnOfSkipping } from '../support/skipping.ts';
import { client, clientBreaks, clientUse } from './client-files.ts';
import { newest, pathOf } from './kept-releases.ts';

const { 'payments-client.ts': entry = '', 'payments-error.ts': error = '' } = client;
const types = client['openapi.d.ts'] ?? '';

test('the program uses every export, method, option and member of an error', () => {
  const declared = /^export (?:type|interface|class|const) (\w+)/gm;
  const exported = [...entry.matchAll(/^export (?:type )?\{(.*?)\} from/gms)].flatMap(
    ([, list = '']) => list.split(',').map((name) => name.replace('type ', '').trim()),
  );
  const members = [entry, error].flatMap((text) => [
    ...text.matchAll(/^ {2}readonly (\w+)[?!]?:/gm),
  ]);
  const names = [
    ...exported,
    ...[...entry.matchAll(declared), ...members].map(([, name = '']) => name),
  ];
  expect(names.length).toBeGreaterThan(40);
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(clientUse);
  expect(names.filter((name) => !isUsed(name))).toEqual([]);
});

test('the program compiles', async () => {
  expect(await clientBreaks(clientUse, client)).toEqual([]);
});

const withSource = (from: string, to: string) => () => {
  const changed = Object.entries(client).map(([name, text]) => [
    name,
    name === 'openapi.d.ts' ? text : text.replaceAll(from, to),
  ]);
  if (JSON.stringify(changed) === JSON.stringify(Object.entries(client))) {
    throw new Error(`The client does not contain ${from}.`);
  }
  return Object.fromEntries(changed);
};
const withTypes = (from: RegExp, to: string) => () => {
  if (!from.test(types)) throw new Error(`The types do not contain ${from}.`);
  return { ...client, 'openapi.d.ts': types.replace(from, to) };
};

test.each([
  ['an export', withSource('export type Fault ', 'type Fault '), "'Fault'"],
  ['a class', withSource('export class PaymentsError', 'class PaymentsError'), "'PaymentsError'"],
  ['a method', withSource('resendOffer', 'sendOfferAgain'), "'resendOffer' does not exist"],
  [
    'an optional argument',
    withSource('call?: Call', 'call: Call'),
    'Expected 3 arguments, but got 2',
  ],
  ['an option of the client', withSource('tryForS', 'tryForMs'), "'tryForS' does not exist"],
  ['an option of a call', withSource('signal?:', 'abort?:'), "'signal' does not exist"],
  ['an option of the list', withSource('before?:', 'until?:'), "'before' does not exist"],
  ['a member of an error', withSource('requestId', 'id'), "'requestId' does not exist"],
  ['a value of an error', withSource("'unknown'", "'perhaps'"), `'"perhaps"' is not assignable`],
  [
    'an optional member of a body',
    withTypes(/(ApprovePaymentRequest: \{.*?)reason\?: string;/s, '$1'),
    "'reason' does not exist",
  ],
  [
    'a member of an event',
    withTypes(/(SandboxEvent: \{.*?)actor: string;/s, '$1'),
    "'actor' does not exist",
  ],
  [
    'a type of event',
    withTypes(/"sandbox\.ready"/, '"sandbox.done"'),
    `'"sandbox.ready"' is not comparable`,
  ],
])('losing %s is a break, and named', async (_, change, message) => {
  expect((await clientBreaks(clientUse, change())).join('\n')).toContain(message);
});

const release = newest();
warnOfSkipping('The client of a release is', release ? undefined : 'There is no release yet.');
test.skipIf(!release)('a program for the newest release compiles with this client', async () => {
  const frozen = readFileSync(pathOf(release ?? '', 'client-use.ts'), 'utf8');
  expect(await clientBreaks(frozen, client)).toEqual([]);
});
