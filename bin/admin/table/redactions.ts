import { domainToASCII } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Author } from '../../../functions/domain/author.ts';
import type { Item } from '../../../functions/domain/item.ts';
import { maximumRedactedIds, Redaction, redacted } from '../../../functions/domain/redaction.ts';
import { newStamp } from '../../../functions/runtime/stamp.ts';
import { keys } from '../../../functions/store/keys.ts';
import { inParallel, parallelCalls } from './in-parallel.ts';
import { isUnderWay } from './invariants.ts';
import { filterBy, readPartition, readPartitionFrom, scan, scanType } from './scan.ts';

/** A person: the worker of payment requests, or the recipient of offers. */
export interface Person {
  readonly worker?: string | undefined;
  readonly recipient?: string | undefined;
}

/** The payment requests or offers of a workspace that are about a person, by a scan. */
export const subjectsOf = (workspace: string, { worker, recipient }: Person): Promise<Item[]> => {
  if (worker) return Array.fromAsync(scanType('PAYMENT_REQUEST', { workspace, worker }));
  const wanted = comparable(recipient ?? '');
  const isTheirs = ({ recipient_email }: Item) => comparable(String(recipient_email)) === wanted;
  return filtered(scanType('OFFER', { workspace }), isTheirs);
};

/**
 * An address in small letters with its domain in Punycode: no provider distinguishes the case, and
 * the table keeps the one it was given. A domain that cannot be converted stays.
 */
const comparable = (address: string) => {
  const [, local = '', domain = ''] = /^(.*@)?(.*)$/s.exec(address) ?? [];
  return `${local}${domainToASCII(domain) || domain}`.toLowerCase();
};

/**
 * What is kept about a person beside their payment requests or offers: the approvals or delivery
 * attempts, the redactions that name them, and the saved responses, which takes a scan.
 */
export const findItemsBeside = async (
  workspace: string,
  subjects: readonly Item[],
): Promise<Item[]> => {
  const ids = new Set(subjects.map(({ id }) => String(id)));
  const reading = inParallel(subjects, parallelCalls, ({ pk }) => readPartition(String(pk)));
  const partitions = (await Array.fromAsync(reading)).flat();
  const redactions = await readPartitionFrom(keys.redaction(workspace, ''));
  const ofWorkspace = { claim: 'CLAIM', workspace };
  const claims = scan(filterBy('#type = :claim AND #workspace = :workspace', ofWorkspace));
  return [
    ...partitions.filter(({ id }) => !ids.has(String(id))),
    ...redactions.filter((redaction) => (redaction.ids as string[]).some((id) => ids.has(id))),
    ...(await filtered(claims, ({ result }) => ids.has(JSON.parse(String(result)).id))),
  ];
};

const filtered = async (items: AsyncIterable<Item>, isWanted: (item: Item) => boolean) => {
  const wanted: Item[] = [];
  for await (const item of items) if (isWanted(item)) wanted.push(item);
  return wanted;
};

/**
 * What is to be redacted of a payment request or an offer; nothing where it was redacted before.
 *
 * The attempts of an offer are read after the offer: if it still counts as many when it is written,
 * none has begun meanwhile.
 *
 * @returns the items, and why they cannot be redacted yet, if that is so
 */
export const planRedaction = async (subject: Item) => {
  const partition = await readPartition(String(subject.pk));
  const waiting = partition.find(isUnderWay);
  const { type, status } = subject;
  const isOpen = type === 'PAYMENT_REQUEST' && (status === 'draft' || status === 'pending');
  const beside = partition.filter(({ sk }) => sk !== subject.sk);
  return {
    id: String(subject.id),
    items: [subject, ...beside].filter((item) => !isDeepStrictEqual(redacted(item), item)),
    obstacle: waiting
      ? `its attempt ${waiting.id} is ${waiting.status}`
      : isOpen
        ? `is ${status}`
        : undefined,
  };
};

/** New redactions of payment requests and offers as items. */
export const redactionItems = (workspace: string, ids: readonly string[], author: Author) =>
  Array.from({ length: Math.ceil(ids.length / maximumRedactedIds) }, (_, index) => {
    const { opaque, created } = newStamp();
    const id = `rdc_${opaque}`;
    const named = ids.slice(index * maximumRedactedIds, (index + 1) * maximumRedactedIds);
    return {
      ...keys.redaction(workspace, id),
      type: 'REDACTION',
      ...Redaction.parse({ id, workspace, ids: named, created }),
      author,
    };
  });
