import { runInNewContext } from 'node:vm';

type Value = number | undefined;

/** CloudWatch's metric math, as far as alarms use it (CloudWatch User Guide, "Use metric math"). */
export const evaluateMath = (expression: string, values: Readonly<Record<string, Value>>) =>
  runInNewContext(expression.replaceAll(/\bAND\b/g, '&&').replaceAll(/\bOR\b/g, '||'), {
    IF: (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
    FILL: (value: Value, otherwise: Value) => value ?? otherwise,
    ...values,
  });

/**
 * The values of an expression over time; of each metric its data, period by period. DIFF, which may
 * only stand around all of it, has none in the first period.
 */
export const evaluateSeries = (
  expression: string,
  data: Readonly<Record<string, readonly Value[]>>,
): Value[] => {
  const [, inner = expression] = /^DIFF\((.*)\)$/.exec(expression) ?? [];
  const length = Math.max(...Object.values(data).map((values) => values.length));
  const all = Array.from({ length }, (_, at) => {
    // REPEAT stands in a FILL beside the name of its metric.
    const written = inner.replaceAll(/FILL\((\w+), REPEAT\)/g, 'FILL($1, last_$1)');
    const values = Object.entries(data).flatMap(([name, values]) => [
      [name, values[at]],
      [`last_${name}`, values.slice(0, at).findLast((value) => value !== undefined)],
    ]);
    return evaluateMath(written, Object.fromEntries(values)) as number;
  });
  return inner === expression
    ? all
    : all.map((value, at) => (at > 0 ? value - Number(all[at - 1]) : undefined));
};
