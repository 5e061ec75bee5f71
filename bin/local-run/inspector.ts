import { close, open, Session, url } from 'node:inspector';

/** Lets a debugger attach to this process. It gets the functions too, which are threads of it. */
export const openInspector = (port: number): void => {
  // A debugger that has started this process is attached already.
  if (url() === undefined) open(port, '127.0.0.1');
};

/**
 * Detaches the debugger, so that this process can end. A thread that a debugger holds does not end,
 * and notices only with the next message that the debugger is gone; one that was to stop may still
 * stop afterwards. So from here on every thread that stops is resumed.
 */
export const closeInspector = (): void => {
  close();
  const session = new Session();
  session.connect();
  const send = (sessionId: string, method: string) => {
    const message = JSON.stringify({ id: 1, method });
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  };
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    send(sessionId, 'Debugger.enable');
    send(sessionId, 'Runtime.runIfWaitingForDebugger');
    send(sessionId, 'Debugger.resume');
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
    if (JSON.parse(message).method === 'Debugger.paused') send(sessionId, 'Debugger.resume');
  });
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
};
