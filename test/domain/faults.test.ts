import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  faulty,
  inBody,
  maximumFaults,
  maximumPointerLength,
} from '../../functions/domain/faults.ts';
import { ApprovePaymentRequest } from '../../functions/domain/payment-request.ts';
import { type FaultCode, faultCodes, problems } from '../../functions/domain/problem.ts';
import { CreateSandbox } from '../../functions/domain/sandbox.ts';
import { nearlyValid } from '../support/arbitraries.ts';
import { faultsIn } from './body-faults.ts';

const bodies: Record<string, z.ZodMiniType<unknown>> = {
  ApprovePaymentRequest,
  CreateSandbox,
  'no body': z.strictObject({}),
};

/** The parts of a JSON pointer (RFC 6901 section 4). */
const partsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const anything = fc.oneof(fc.jsonValue(), nearlyValid(['approver', 'reason', 'name']));

test.each(Object.entries(bodies))(
  'any JSON as %s is accepted, or each fault is reported with its place, which exists unless it is missing',
  (_, schema) => {
    fc.assert(
      fc.property(anything, (input) => {
        const { success } = schema.safeParse(input);
        const faults = faultsIn(schema, input);

        expect(faults.length === 0).toBe(success);
        for (const fault of faults) {
          expect(fault).toEqual({
            pointer: expect.stringMatching(/^(\/|$)/),
            code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
            detail: expect.stringMatching(/^(Is required|Unknown field|Must .+)\.$/),
          });
          expect(fault.code).not.toBe('undefined');
          const [name, ...deeper] = partsOf('pointer' in fault ? fault.pointer : '');
          expect(deeper).toEqual([]);
          if (name === undefined) continue;
          expect(Object.hasOwn(input as object, name)).toBe(fault.code !== 'required');
        }
      }),
      { numRuns: 300 },
    );
  },
);

test('a pointer leads back to the name it was made from', () => {
  const path = fc.array(fc.oneof(fc.string(), fc.constantFrom('~', '/', '~1', '~01', '')), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(path, (names) => {
      const located = inBody(names);
      expect('pointer' in located && partsOf(located.pointer)).toEqual(names);
    }),
  );
});

test('a pointer that is too long ends before the first name that does not fit', () => {
  const fits = 'x'.repeat(maximumPointerLength - '/a/'.length);
  expect(inBody(['a', fits]).pointer).toBe(`/a/${fits}`);
  expect(inBody(['a', `${fits}x`, 'b']).pointer).toBe('/a');
  expect(inBody(['a', fits.replace(/x$/, '"'), 'b']).pointer).toBe('/a');
});

test.each([
  ['a boolean', { name: true }, '/name', 'Must be a string.'],
  ['null', { name: null }, '/name', 'Must be a string.'],
  ['a list', [], '', 'Must be an object.'],
])('the fault of %s in the wrong place says what it must be', (_, body, pointer, detail) => {
  expect(faultsIn(CreateSandbox, body)).toEqual([{ pointer, code: 'invalid_type', detail }]);
});

const fault = (code: FaultCode) => ({ parameter: 'cursor', code, detail: 'Is wrong.' });

test('a problem of several faults carries them all, under their own code if they share one that is a problem', () => {
  const code = fc.constantFrom(...faultCodes);
  fc.assert(
    fc.property(fc.array(code, { minLength: 1 }), (all) => {
      const problem = faulty(all.map(fault));
      const shared = new Set(all).size === 1 && Object.hasOwn(problems, String(all[0]));
      expect(problem.extension.errors).toEqual(all.map(fault));
      expect(problem.code).toBe(shared ? all[0] : 'invalid_request');
    }),
  );
});

test('a problem has the first 100 faults, the number of all, and the code that all of them share', () => {
  const full = Array<ReturnType<typeof fault>>(maximumFaults).fill(fault('invalid_cursor'));
  expect(faulty(full)).toMatchObject({
    code: 'invalid_cursor',
    message: 'The request has 100 errors.',
    extension: { errors: full },
  });
  expect(faulty([...full, fault('required')])).toMatchObject({
    code: 'invalid_request',
    message: 'The request has 101 errors: the first 100, and 1 more.',
    extension: { errors: full },
  });
});
