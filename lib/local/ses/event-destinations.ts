import { z } from 'zod';
import { busName } from '../aws-account.ts';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { TemplateReader } from '../cloudformation/template-reader.ts';

const DestinationProperties = z.strictObject({
  ConfigurationSetName: z.string(),
  EventDestination: z.strictObject({
    Name: withoutEffect,
    Enabled: z.boolean().default(false),
    MatchingEventTypes: z.array(z.string().toLowerCase()),
    EventBridgeDestination: z.strictObject({
      // "Only the default bus is supported" (EventBridgeDestination in the SES API reference).
      EventBusArn: z.string().transform(busName).pipe(z.literal('default')),
    }),
  }),
});

const destinationShape: ResourceShape<z.infer<typeof DestinationProperties>> = {
  type: 'AWS::SES::ConfigurationSetEventDestination',
  schema: DestinationProperties,
};

/** The events of its mails that a configuration set has published on the default bus. */
export interface EventDestination {
  readonly configurationSet: string;
  /** In lower case, such as `bounce`. */
  readonly types: readonly string[];
}

/** The template's destinations that are enabled. */
export const readEventDestinations = (reader: TemplateReader): EventDestination[] =>
  reader.read(destinationShape).flatMap(({ properties }) => {
    const { Enabled, MatchingEventTypes } = properties.EventDestination;
    if (!Enabled) return [];
    return [{ configurationSet: properties.ConfigurationSetName, types: MatchingEventTypes }];
  });
