import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asText, consumers, resourcesOf } from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';

const { Outputs, ...template } = await templateOf(production);

test('each function that reads the stream or a queue has the id of its mapping there', () => {
  const names = ['Outbox', 'Events', ...consumers.map(([queue]) => queue)];
  const ids = names.map((name) => asText(Outputs[`${name}MappingId`]?.Value));
  const mappings = resourcesOf({ Outputs, ...template }, 'AWS::Lambda::EventSourceMapping');
  expect(ids.sort()).toEqual(mappings.map(([id]) => `\${${id}}`).sort());
});

describe.each(['DEPLOY', 'RUNBOOK', 'RESTORE', 'EVENTS', 'RECORDS'])('the page %s', (page) => {
  const text = readFileSync(join(import.meta.dirname, `../../lib/${page}.md`), 'utf8');

  test('looks up outputs that the stack has', () => {
    const found = text.matchAll(/\$\((?:output|arn) (\w+)\)|OutputKey=='(\w+)'/g);
    for (const [, given, queried] of found) expect(Outputs).toHaveProperty(given ?? queried ?? '');
  });

  // A long stage leaves nothing of the logical id in a name that CloudFormation cuts.
  test('looks up no name that CloudFormation generates, but one function by its beginning', () => {
    const commands = text.split('```').filter((_, index) => index % 2 === 1);
    const generated = /(?<!function:)WorkforcePayments-(prod|dev|STAGE|\$STAGE)-[A-Z]/;
    expect(commands.join('')).not.toMatch(generated);
    const functions = resourcesOf({ Outputs, ...template }, 'AWS::Lambda::Function');
    const begun = text.matchAll(/function:WorkforcePayments-prod-(\w+)/g);
    for (const [, beginning = ''] of begun) {
      expect(functions.filter(([id]) => id.startsWith(beginning))).toHaveLength(1);
    }
  });
});
