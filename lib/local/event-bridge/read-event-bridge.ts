import type { Template } from '../cloudformation/template.ts';
import { readArchives, readBuses } from './archives.ts';
import type { EventsDefinition } from './event-buses.ts';
import { readRules } from './rules.ts';

/** Reads the buses, rules and archives of a template. */
export const readEvents = (template: Template): EventsDefinition => ({
  names: readBuses(template),
  rules: readRules(template),
  archives: readArchives(template),
});
