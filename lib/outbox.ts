import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { outboxItems } from '../functions/store/attributes.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

/** The function that reads the table's stream and sends a message for each item that waits for one. */
export class Outbox extends ServiceFunction {
  constructor(scope: Construct, id: string, table: Table, props: ServiceFunctionProps) {
    super(scope, id, props);
    this.addEventSource(
      new DynamoEventSource(table, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        // Filtered out, an item costs nothing: most of what is written needs no message.
        filters: outboxItems.map(({ type, status }) =>
          FilterCriteria.filter({
            eventName: FilterRule.isEqual('INSERT'),
            dynamodb: {
              NewImage: {
                type: { S: FilterRule.isEqual(type) },
                status: { S: FilterRule.isEqual(status) },
              },
            },
          }),
        ),
      }),
    );
  }
}
