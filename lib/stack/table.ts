import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ContributorInsightsMode,
  StreamViewType,
  Table,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { attributes } from '../../functions/store/attributes.ts';
import type { Settings } from './settings.ts';

/**
 * The service's one table: one that the stack makes, or one that it imports by its name.
 *
 * To import it, CloudFormation needs its literal name, a logical id that is new to the stack and
 * the deletion policy Retain (CloudFormation User Guide, "Import AWS resources automatically").
 */
export class PaymentsTable extends Table {
  constructor(scope: Construct, id: string, settings: Settings) {
    const { importedTable = '' } = settings;
    super(scope, `${id}${importedTable}`, {
      ...(importedTable && { tableName: importedTable }),
      partitionKey: { name: attributes.partitionKey, type: AttributeType.STRING },
      sortKey: { name: attributes.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: attributes.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      // Another view would be another stream: unread records of this one would be lost.
      stream: StreamViewType.NEW_IMAGE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Turned on when the table is throttled, it would not name the key that was. No alarm: of
      // DynamoDB's metrics CloudWatch ignores missing data whatever an alarm says, so that one may
      // ring for ever (CloudWatch API Reference, PutMetricAlarm).
      contributorInsightsSpecification: {
        enabled: true,
        mode: ContributorInsightsMode.THROTTLED_KEYS,
      },
      deletionProtection: settings.keepData,
      removalPolicy: importedTable ? RemovalPolicy.RETAIN : settings.removalPolicy,
    });
  }
}
