import type { Stages } from '../lib/stack/stage-settings.ts';

/**
 * Every stage with its settings. The comments of lib/stack/stage-settings.ts say what each setting
 * means; an editor shows them here.
 */
export const stages: Stages = {
  dev: { keepData: false },
  // prod: {
  //   keepData: true,
  //   account: '123456789012',
  //   region: 'eu-central-1',
  //   sender: 'offers@your.domain',
  //   senderIdentity: 'your.domain',
  //   operators: ['arn:aws:iam::123456789012:role/payments-operators'],
  //   alarmEmail: 'operators@your.domain',
  // },
};
