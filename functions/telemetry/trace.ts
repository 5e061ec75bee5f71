import { randomBytes } from 'node:crypto';

/**
 * Annotates the X-Ray trace of this invocation, if it is sampled, so that X-Ray finds it by a
 * request id. Lambda runs the daemon that takes the annotation (Lambda Developer Guide, "Visualize
 * Lambda function invocations using AWS X-Ray"). The SDK of X-Ray would do the same and cost every
 * cold start.
 */
export const annotate = async (annotations: object): Promise<void> => {
  const { _X_AMZN_TRACE_ID: header = '', AWS_XRAY_DAEMON_ADDRESS: daemon = '' } = process.env;
  if (!header.includes('Sampled=1') || !daemon) return;
  const { Root, Parent } = Object.fromEntries(header.split(';').map((part) => part.split('=')));
  const now = Date.now() / 1000;
  const subsegment = {
    type: 'subsegment',
    name: 'ids',
    id: randomBytes(8).toString('hex'),
    trace_id: Root,
    parent_id: Parent,
    start_time: now,
    end_time: now,
    annotations,
  };
  await send(daemon, `{"format":"json","version":1}\n${JSON.stringify(subsegment)}`);
};

/** Sends a datagram. A lost one is no failure: nothing depends on a trace. */
const send = (daemon: string, datagram: string): Promise<void> => {
  const [host, port] = daemon.split(':');
  // Not imported: few requests are sampled, and no other needs it.
  const socket = process.getBuiltinModule('node:dgram').createSocket('udp4');
  return new Promise((resolve) =>
    socket.send(datagram, Number(port), host, () => socket.close(resolve)),
  );
};
