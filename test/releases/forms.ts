import type * as z from 'zod/mini';
import { kinds } from '../../bin/admin/kinds/all.ts';
import type { Item } from '../../bin/admin/table/scan.ts';

/** The operations whose claims are kept for thirty days. */
const claimed = ['approve-payment-request', 'create-sandbox', 'resend-offer', 'send-offer'];

/** What an item can have besides the members of its type. */
const ofAnyType = ['imported', 'imported by restore', 'record in progress'];

/**
 * The forms that a stored item can have, as its schema says: an optional member is there or not, a
 * nullable one is null or not, an enumerated one has each of its values. A claim has an operation.
 */
const forms = (): string[] => [
  ...ofAnyType,
  ...claimed.map((operation) => `CLAIM of ${operation}`),
  ...Object.entries(kinds).flatMap(([type, { shape }]) =>
    Object.entries(shape).flatMap(([member, schema]) =>
      valuesOf(schema).map((value) => `${type} with ${member} ${value}`),
    ),
  ),
];

const valuesOf = (schema: z.core.$ZodType): readonly string[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
      return ['present', 'absent'];
    case 'nullable':
      return ['null', 'set'];
    case 'enum':
      return Object.keys(def.entries);
    default:
      return [];
  }
};

const formsOf = (item: Item): string[] => {
  const { type, status, operation } = item;
  if (type === undefined) return status === 'INPROGRESS' ? ['record in progress'] : [];
  const { restored } = (item.imported ?? {}) as { restored?: string };
  return [
    ...(item.imported ? [restored ? 'imported by restore' : 'imported'] : []),
    ...(type === 'CLAIM' ? [`CLAIM of ${operation}`] : []),
    ...Object.keys(kinds[String(type)]?.shape ?? {}).flatMap((member) => {
      const value = item[member];
      const states = [value === undefined ? 'absent' : 'present', value === null ? 'null' : 'set'];
      return [...states, String(value)].map((state) => `${type} with ${member} ${state}`);
    }),
  ];
};

/** The forms that none of these items has. */
export const missingForms = (items: readonly Item[]): string[] => {
  const found = new Set(items.flatMap(formsOf));
  return forms().filter((form) => !found.has(form));
};
