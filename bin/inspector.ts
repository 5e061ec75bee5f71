import { close, open, Session, url } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';

const settlingMs = 100;

/** Lets a debugger attach to this process. It gets the functions too, which are threads of it. */
export const openInspector = (port: number): void => {
  // A debugger that has started this process is attached already.
  if (url() === undefined) open(port, '127.0.0.1');
};

/**
 * Detaches the debugger, so that this process can end. A thread that a debugger holds does not end, and
 * notices only with the next message that the debugger is gone.
 */
export const closeInspector = async (): Promise<void> => {
  close();
  const session = new Session();
  session.connect();
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    for (const [id, method] of ['Debugger.enable', 'Debugger.resume'].entries()) {
      const message = JSON.stringify({ id, method });
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
    }
  });
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  await sleep(settlingMs);
  session.disconnect();
};
