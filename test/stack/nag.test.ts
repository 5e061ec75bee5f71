import { type App, type Environment, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { beforeAll, describe, expect, test } from 'vitest';
import { everything, type Stage, synthesizedApp, variants } from '../support/synthesize-stage.ts';

interface Finding {
  readonly rule: string;
  readonly path: string;
}

const findingsOf = (app: App, checks: AwsSolutionsChecks): Finding[] =>
  checks
    .validateScope(app)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath = '' }) => ({ rule: ruleName, path: constructPath })),
    );

/** The checks as if nothing had been acknowledged, which the pack has no setting for. */
const strictChecks = (app: App): AwsSolutionsChecks =>
  Object.defineProperty(new AwsSolutionsChecks(app), 'isAcknowledged', { value: () => false });

const acknowledgementsOf = (app: App): (Finding & { reason: string })[] =>
  app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) =>
        Object.entries<string>(data).map(([rule, reason]) => ({
          rule: rule.replace(/^annotation::/i, ''),
          path: node.path,
          reason,
        })),
      ),
  );

const { account, region } = everything;

/** Where the CDK has values in place of references, cdk-nag prints other findings. */
const places: [string, Stage, Environment][] = [
  ['prod in an account and region', everything, { account, region }],
  ['prod in a region', everything, { region }],
  ['prod in an account', everything, { account }],
];
const anywhere = variants.map(([name, stage]) => [name, stage, {}] as const);

describe.each([...anywhere, ...places])("cdk-nag's AWS Solutions pack on %s", (_, stage, env) => {
  let app: App;
  let all: Finding[];
  beforeAll(async () => {
    app = await synthesizedApp(stage, env);
    all = findingsOf(app, strictChecks(app));
  });

  test('finds nothing that is not acknowledged', () => {
    expect(findingsOf(app, new AwsSolutionsChecks(app))).toEqual([]);
  });

  test('finds everything that is acknowledged, where it is acknowledged', () => {
    const stale = acknowledgementsOf(app).filter(
      ({ rule, path }) =>
        !all.some((finding) => finding.rule === rule && finding.path.startsWith(`${path}/`)),
    );
    expect(stale).toEqual([]);
  });

  test('is acknowledged with a reason, and one finding at a time where a role is allowed something everywhere', () => {
    const acknowledgements = acknowledgementsOf(app);
    expect(acknowledgements.length).toBeGreaterThan(0);
    for (const { rule, reason } of acknowledgements) {
      expect(reason).toMatch(/^.{40,}\.$/);
      expect(rule).not.toMatch(/IAM[45]$/);
    }
  });
});
