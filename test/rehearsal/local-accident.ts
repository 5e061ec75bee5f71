import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { connect } from '../../bin/admin/service/connect.ts';
import { scan } from '../../bin/admin/table/scan.ts';
import { reportError } from '../../bin/admin/terminal/report-error.ts';
import { stackFilePath } from '../../bin/local-run/stack-file-path.ts';
import { dynamodb } from '../../functions/store/client.ts';
import { keys } from '../../functions/store/keys.ts';
import { demo } from '../../lib/openapi/demo.ts';
import { createTable } from '../support/create-table.ts';
import { putAll, removeAll } from '../support/put-all.ts';

const restored = 'Restored';

/** The partitions of which the accident deletes every item. */
const lost = [keys.paymentRequest(demo.payment_requests.paid).pk, keys.offer(demo.offers.sent).pk];

/**
 * `npm run accident`: copies the table of the local run, as a restore on AWS would, and deletes a
 * payment request and an offer with all that belongs to them.
 */
const haveAccident = async (): Promise<void> => {
  await connect({ stackFile: process.env.WFP_STACK_FILE ?? stackFilePath });
  const items = await Array.fromAsync(scan());
  await dynamodb.send(new DeleteTableCommand({ TableName: restored })).catch((error: Error) => {
    if (error.name !== 'ResourceNotFoundException') throw error;
  });
  await createTable(restored);
  await putAll(items, restored);
  const deleted = items.filter(({ pk }) => lost.includes(String(pk)));
  await removeAll(deleted);
  console.log(`${deleted.length} items are deleted. The table ${restored} has them.`);
};

await haveAccident().catch((error) => {
  process.exitCode = reportError(error, false);
});
