import { WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { Offer } from '../../../functions/domain/offer.ts';
import { keys } from '../../../functions/store/keys.ts';
import { delivery, isWaiting } from './delivery.ts';
import { type Item, type Kind, made, violation } from './kind.ts';

/** An address that the schema of an offer accepts and nobody has (RFC 2606, section 2). */
export const redactedAddress = 'redacted@redacted.invalid';

/** An offer as stored or as answered, without personal data. Its members keep their order. */
export const withoutAddress = (offer: Item): Item => ({
  ...offer,
  recipient_email: redactedAddress,
});

const isDraft = ({ status }: Item) => status === 'draft';
const isSendable = ({ status }: Item) => isDraft({ status }) || status === 'sent';
const voided = (item: Item): Item => (isSendable(item) ? { ...item, status: 'voided' } : item);
const attemptsIn = (partition: readonly Item[]) =>
  partition.filter(({ type }) => type === delivery.type);

/** An offer, which counts its delivery attempts. They are items of their own. */
export const offer: Kind = {
  type: 'OFFER',
  noun: 'offer',
  shape: { workspace: WorkspaceId, ...Offer.shape },
  key: ({ id }) => keys.offer(String(id)),
  changing: ['status', 'updated'],
  counted: ['attempts'],
  beginnings: ['draft'],
  // Each delivery attempt is counted when it is created.
  imported: (record) => ({ ...record, attempts: 0 }),
  subject: ({ id }) => String(id),
  isSubject: true,
  redaction: {
    after: (item) => withoutAddress(voided(item)),
    first: (item, { status }) => ({ ...item, status }),
    // One that has become a draft or sent meanwhile would get attempts to its new address.
    isReady: (item, partition) => !isSendable(item) && !partition.some(isWaiting),
  },
  person: {
    option: 'recipient',
    // No provider distinguishes the case of an address, and the table keeps the one it was given.
    isAbout: ({ recipient_email }, value) =>
      String(recipient_email).toLowerCase() === value.toLowerCase(),
  },
  trail: (item) => [made(item, 'offer created')],
  invariants: {
    sent_but_draft: 'an offer with delivery attempts that is still a draft',
    wrong_summary: 'an offer that counts more or fewer delivery attempts than it has',
  },
  inspect: (item, partition) => {
    const { id, attempts } = item;
    const { length } = attemptsIn(partition);
    const counted = `${id} counts ${attempts} delivery attempts, and the table has ${length}.`;
    const draft = `${id} is a draft and has delivery attempts.`;
    return [
      ...(attempts === length ? [] : [violation('wrong_summary', item, counted)]),
      ...(length > 0 && isDraft(item) ? [violation('sent_but_draft', item, draft)] : []),
    ];
  },
  repairs: {
    sent_but_draft: (item) => (isDraft(item) ? { ...item, status: 'sent' } : item),
    // As it was read before its attempts: if one is added meanwhile, the offer changes too.
    wrong_summary: (item, partition) => ({ ...item, attempts: attemptsIn(partition).length }),
  },
};
