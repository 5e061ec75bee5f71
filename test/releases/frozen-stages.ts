import { everything, production, synthesizedApp, variants } from '../support/synthesize-stage.ts';

/** A stage as operators set it, and what its stack gives them: an element of `settings.json`. */
export interface FrozenStage {
  readonly name: string;
  readonly context: Readonly<Record<string, string>>;
  readonly stackName: string;
  readonly outputs: readonly string[];
}

/** With these, every setting has a valid value. */
const contexts: readonly [string, Record<string, string>][] = [
  ...variants,
  ['dev with an imported table', { devTable: 'Restored', createSenderIdentity: 'false' }],
  [
    'prod with an imported table',
    {
      ...production,
      prodTable: 'Restored',
      canary: 'false',
      firewall: 'false',
      sourceMaps: 'true',
    },
  ],
  [
    'prod with the least of each limit',
    {
      ...everything,
      logRetentionDays: '1',
      requestsPerToken: '10',
      throttlingRate: '1',
      throttlingBurst: '1',
      reservedConcurrency: '1',
      mailsAtOnce: '2',
    },
  ],
  [
    'prod with the greatest of each limit',
    {
      ...everything,
      logRetentionDays: '3653',
      requestsPerToken: '2000000000',
      throttlingRate: '10000',
      throttlingBurst: '5000',
      reservedConcurrency: '1000',
      mailsAtOnce: '1000',
    },
  ],
  ['prod with an address of its own', { ...everything, senderIdentity: everything.sender }],
];

/** The settings of this version, and the names that its stacks have with them. */
export const describeStages = (): Promise<FrozenStage[]> =>
  Promise.all(contexts.map(([name, context]) => describeStage(name, context)));

const describeStage = async (
  name: string,
  context: Record<string, string>,
): Promise<FrozenStage> => ({ name, context, ...(await namesWith(context)) });

type StackNames = Pick<FrozenStage, 'stackName' | 'outputs'>;

/** By the settings: a stage is synthesized once, however often it is compared. */
const synthesized = new Map<string, Promise<StackNames>>();

const namesWith = (context: Record<string, string>): Promise<StackNames> => {
  const key = JSON.stringify(context);
  const names = synthesized.get(key) ?? synthesizeNames(context);
  synthesized.set(key, names);
  return names;
};

const synthesizeNames = async (context: Record<string, string>): Promise<StackNames> => {
  const { stacks } = (await synthesizedApp(context)).synth();
  const { stackName = '', template } = stacks[0] ?? {};
  return { stackName, outputs: Object.keys(template.Outputs) };
};

/** A sentence for each setting that is not accepted any more, and for each name that is gone. */
export const stageBreaks = async (frozen: readonly FrozenStage[]): Promise<string[]> => {
  const breaks = frozen.map(async ({ name, context, stackName, outputs }) => {
    try {
      const now = await describeStage(name, context);
      return [
        ...(now.stackName === stackName ? [] : [`${name}: the stack is named ${now.stackName}.`]),
        ...outputs
          .filter((each) => !now.outputs.includes(each))
          .map((each) => `${name}: the output ${each} is gone.`),
      ];
    } catch (error) {
      return [`${name}: ${(error as Error).message}`];
    }
  });
  return (await Promise.all(breaks)).flat();
};
