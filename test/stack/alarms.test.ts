import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resourcesOf } from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';

describe('the runbook', () => {
  const text = readFileSync(join(import.meta.dirname, '../../lib/RUNBOOK.md'), 'utf8');
  const sections = [...text.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);

  test('has a section for each alarm of production, which describes it, and no others', async () => {
    const alarms = resourcesOf(await templateOf(production), 'AWS::CloudWatch::Alarm');
    const named = alarms.map(
      ([, { Properties }]) =>
        /^.{20,}\. lib\/RUNBOOK\.md#(\S+)$/.exec(Properties.AlarmDescription)?.[1],
    );
    expect(
      sections.map((name) => name.toLowerCase()).sort(),
      'lib/RUNBOOK.md has a section `## <Alarm>` for each alarm: what it means, and what to do.',
    ).toEqual([...new Set(named)].sort());
  });

  test('has text in each of its sections', () => {
    const bodies = text.split(/^## .*$/m).slice(1);
    expect(bodies).toHaveLength(sections.length);
    for (const body of bodies) expect(body.trim()).toMatch(/.{60,}/s);
  });
});
