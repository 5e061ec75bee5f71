import { runInNewContext } from 'node:vm';

/** CloudWatch's metric math, as far as alarms use it (CloudWatch User Guide, "Use metric math"). */
export const evaluateMath = (
  expression: string,
  values: Readonly<Record<string, number | undefined>>,
) =>
  runInNewContext(expression.replaceAll('AND', '&&').replaceAll('OR', '||'), {
    IF: (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
    FILL: (value: number | undefined, otherwise: number) => value ?? otherwise,
    ...values,
  });
