import { Redaction } from '../../../functions/domain/redaction.ts';
import { keys } from '../../../functions/store/keys.ts';
import { type Kind, made } from './kind.ts';

/** An operator's order to redact personal data. */
export const redaction: Kind = {
  type: 'REDACTION',
  noun: 'redaction',
  shape: Redaction.shape,
  key: ({ workspace, id }) => keys.redaction(String(workspace), String(id)),
  isCarried: true,
  lost: ({ id, ids, workspace }) =>
    `The redaction ${id} is lost: redact ${(ids as string[]).join(', ')} of ${workspace} again (redact --ids).`,
  trail: (item) => [made(item, 'personal data redacted', { ids: item.ids })],
  published: (item) => [item],
};
