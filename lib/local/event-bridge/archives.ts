import { z } from 'zod';
import { busName } from '../aws-account.ts';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { TemplateReader } from '../cloudformation/template-reader.ts';
import { compilePattern, type EventPattern } from './event-pattern.ts';

const BusProperties = z.strictObject({ Name: z.string(), Description: withoutEffect });

const busShape: ResourceShape<z.infer<typeof BusProperties>> = {
  type: 'AWS::Events::EventBus',
  schema: BusProperties,
};

/** The names of the template's buses, and of the one that every account has. */
export const readBuses = (reader: TemplateReader): string[] => [
  'default',
  ...reader.read(busShape).map(({ name }) => name),
];

const dayMs = 86_400_000;

const ArchiveProperties = z.strictObject({
  ArchiveName: z.string().optional(),
  SourceArn: z.string().transform(busName),
  EventPattern: z.record(z.string(), z.unknown()).default({}),
  /** 0 keeps events for ever. */
  RetentionDays: z.number().default(0),
  Description: withoutEffect,
  KmsKeyIdentifier: withoutEffect,
});

const archiveShape: ResourceShape<z.infer<typeof ArchiveProperties>> = {
  type: 'AWS::Events::Archive',
  schema: ArchiveProperties,
};

/** What keeps the events of a bus, and for how long. */
export interface Archive {
  readonly name: string;
  readonly bus: string;
  readonly matches: EventPattern;
  readonly retentionMs: number;
}

/** The template's archives. */
export const readArchives = (reader: TemplateReader): Archive[] =>
  reader.make(archiveShape, ({ name, properties }) => ({
    name,
    bus: properties.SourceArn,
    matches: compilePattern(properties.EventPattern),
    retentionMs: properties.RetentionDays * dayMs || Number.POSITIVE_INFINITY,
  }));
