import type { TemplateReader } from '../cloudformation/template-reader.ts';
import { readArchives, readBuses } from './archives.ts';
import type { EventsDefinition } from './event-buses.ts';
import { readRules } from './rules.ts';

/** Reads the buses, rules and archives of a template. */
export const readEventBridge = (reader: TemplateReader): EventsDefinition => ({
  names: readBuses(reader),
  rules: readRules(reader),
  archives: readArchives(reader),
});
