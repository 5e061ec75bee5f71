import { RemovalPolicy } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { attributes } from '../../functions/store/attributes.ts';
import { type Alarms, period, sum } from './alarms.ts';
import type { Settings } from './settings.ts';

/**
 * The service's one table: one that the stack makes, or one that it imports by its name.
 *
 * To import it, CloudFormation needs its literal name, a logical id that is new to the stack and
 * the deletion policy Retain (CloudFormation User Guide, "Import AWS resources automatically").
 */
export class PaymentsTable extends Table {
  constructor(scope: Construct, id: string, settings: Settings, alarms: Alarms) {
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
      deletionProtection: settings.keepData,
      removalPolicy: importedTable ? RemovalPolicy.RETAIN : settings.removalPolicy,
    });
    const events = (name: string) => this.metric(name, { period, statistic: Stats.SUM });
    alarms.add('ThrottledTable', {
      means: 'For ten minutes DynamoDB has throttled reads or writes: clients get 503 and retry.',
      metric: sum([events('ReadThrottleEvents'), events('WriteThrottleEvents')]),
      threshold: 0,
      periods: 2,
    });
  }
}
