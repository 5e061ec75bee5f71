import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { attributes } from '../functions/store/attributes.ts';
import type { Settings } from './settings.ts';

/** The service's one table. */
export class PaymentsTable extends Table {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, {
      partitionKey: { name: attributes.partitionKey, type: AttributeType.STRING },
      sortKey: { name: attributes.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: attributes.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType.NEW_IMAGE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: settings.stage === 'prod',
      removalPolicy: settings.removalPolicy,
    });
  }
}
