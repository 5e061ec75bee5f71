import { GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import type { StageSettings } from '../../lib/stack/stage-settings.ts';

/** Why a stage can send no mail: SES has not verified its sender, or it has none. */
export const mailFaultOf = async ({
  sender,
  senderIdentity: EmailIdentity = sender,
}: Pick<StageSettings, 'sender' | 'senderIdentity'>): Promise<string | undefined> => {
  if (!EmailIdentity) return 'bin/stages.ts has no sender for this stage.';
  const unverified = `SES has not verified ${EmailIdentity}: open the link that it has mailed, or create the DNS records.`;
  return new SESv2Client().send(new GetEmailIdentityCommand({ EmailIdentity })).then(
    ({ VerifiedForSendingStatus }) => (VerifiedForSendingStatus ? undefined : unverified),
    ({ message }: Error) => `The identity ${EmailIdentity} cannot be read. ${message}`,
  );
};
