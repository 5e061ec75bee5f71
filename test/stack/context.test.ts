import { expect, test } from 'vitest';
import { type ContextFiles, runCdk } from '../support/run-cdk.ts';

/** The sentences with which the app refuses what the CDK has read, without the CDK's own. */
const refusal = (files: ContextFiles, ...args: string[]): string[] => {
  const { status, stderr } = runCdk(files, 'list', ...args);
  const lines = stderr.trim().split('\n');
  expect([status, lines.pop()]).toEqual([1, expect.stringContaining('exited with error 1')]);
  return lines;
};

test('a setting is refused wherever it is not under a stage in cdk.json, with its place', () => {
  const files = {
    'cdk.json': { stage: 'prod', sender: 'a@b.example', stages: {} },
    'cdk.context.json': { stages: {}, table: 'Restored' },
    '~/.cdk.json': { stages: { dev: { tls: '1.2' } }, keepData: false },
  };
  const refused = refusal(files, '-c', 'stage=dev', '-c', 'canary=false', '--context', 'Stage=x');
  const advice =
    '. A command gives the stage alone (--context stage=prod). Its settings are in cdk.json: "context": { "stages": { "prod": { … } } }.';
  expect(refused).toEqual(
    [
      ...['cdk.json has the context stage', 'cdk.json has the context sender'],
      ...['cdk.context.json has the context stages', 'cdk.context.json has the context table'],
      ...['~/.cdk.json has the context stages', '~/.cdk.json has the context keepData'],
      'The command line (or the variable CDK_CONTEXT) has the context canary',
      'The command line (or the variable CDK_CONTEXT) has the context Stage',
    ].map((sentence) => `${sentence}${advice}`),
  );
});

test('a stage that cdk.json does not have is refused with those that it has', () => {
  const files = { 'cdk.json': { stages: { prod: {}, 'prod-eu': {} } } };
  expect(refusal(files, '--context', 'stage=prd')).toEqual([
    'cdk.json has no stage "prd". Its stages: prod, prod-eu. One without settings is written "qa": {}.',
  ]);
});

test('each wrong name of a stage is refused, and a boundary that the CDK would ignore', () => {
  const files = { 'cdk.json': { stages: { Prod: {}, prod: {} } } };
  const boundary = '@aws-cdk/core:permissionsBoundary={"name":"acme"}';
  expect(refusal(files, '-c', 'stage=', '-c', boundary)).toEqual([
    expect.stringMatching(/^The name of a stage .+: "Prod" has not\.$/),
    expect.stringMatching(/^cdk\.json has no stage "". Its stages: Prod, prod\./),
    expect.stringMatching(/^The context @aws-cdk\/core:permissionsBoundary must be an object /),
  ]);
});

test.each<[string, string, unknown, string?]>([
  ['stages', 'as a text, from the command line', undefined, 'stages=prod'],
  ['stages\\.sender', 'with settings of no stage', { sender: 'offers@company.example' }],
])('%s is refused %s', (place, _, stages, context = 'stage=dev') => {
  expect(refusal({ 'cdk.json': { stages } }, '--context', context)).toContainEqual(
    expect.stringMatching(new RegExp(`^${place} must be an object in cdk\\.json, such as `)),
  );
});

test('dev needs no settings', () => {
  const { stdout } = runCdk({ 'cdk.json': { stages: { prod: {} } } }, 'list');
  expect(stdout).toContain('WorkforcePayments-dev\n');
});
