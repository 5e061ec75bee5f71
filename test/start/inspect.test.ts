import { readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { demo } from '../../lib/openapi/demo.ts';
import { operations } from '../../lib/openapi/operations.ts';
import { sendOperation, sendRequest } from '../support/send-request.ts';
import { copyOfProject, edited, original, start } from './start.ts';

// biome-ignore lint/suspicious/noExplicitAny: the members of a message depend on its method.
type Message = any;

const endpoint = 'functions/approve-payment-request.ts';
const timeoutMs = 1000;

test('a debugger stops in the source of an endpoint for longer than its timeout', async () => {
  const project = copyOfProject();
  const timeouts = 'lib/service-function.ts';
  writeFileSync(
    join(project, timeouts),
    edited(timeouts, [
      'endpointTimeout = Duration.seconds(10)',
      'endpointTimeout = Duration.seconds(1)',
    ]),
  );
  const run = start(['--inspect', '0'], { project });
  const { url } = await run.welcomed();
  const listening = /Debugger listening on (\S+)/;
  await expect.poll(run.output).toMatch(listening);

  const debug = await attach(listening.exec(run.output())?.[1] ?? '');
  const lines = original(endpoint).split('\n');
  const line = lines.findIndex((text) => text.includes('await Promise.all('));
  debug.breakAt(endpoint, line);

  const token = demo.tokens.live;
  const { request, examples } = operations.approvePaymentRequest;
  const asked = request({ ...examples.target, reason: 'Stopped here' });
  const answer = sendOperation(url, routes.approvePaymentRequest, asked, { token });
  const passed = answer.then(({ status }) => {
    throw new Error(`The request was answered ${status} before the debugger stopped.`);
  });
  const { frame, evaluate, resume } = await Promise.race([debug.stopped, passed]);
  expect(debug.sourceOf(frame.location)).toEqual({ file: endpoint, line });
  expect(await evaluate('body.reason')).toBe('Stopped here');
  expect(await evaluate('id')).toBe(demo.payment_requests.pending);

  await sleep(2 * timeoutMs);
  await resume();
  expect((await answer).status).toBe(200);

  // It ends although a debugger holds a function.
  debug.hold();
  const held = sendRequest(`${url}/v1/sandboxes`, 'GET', { token }).catch(() => {});
  await debug.held;
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(0);
  await held;
});

/** A connection to the inspector of a process, and of its threads through that of the process. */
const connect = async (url: string, onEvent: (event: Message, sessionId?: string) => unknown) => {
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const replies = new Map<number, (result: Message) => void>();
  let messages = 0;
  /** Sends a message with an id of its own. @returns its result */
  const ask = (post: (message: object) => void, method: string, params: object) => {
    messages += 1;
    const id = messages;
    post({ id, method, params });
    return new Promise<Message>((resolve) => replies.set(id, resolve));
  };
  const post = (message: object) => socket.send(JSON.stringify(message));
  const send = (method: string, params: object) => ask(post, method, params);
  const sendTo = (sessionId: string, method: string, params: object = {}) => {
    const postTo = (message: object) =>
      void send('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify(message) });
    return ask(postTo, method, params);
  };
  const receive = (text: string, sessionId?: string): unknown => {
    const message = JSON.parse(text) as Message;
    const { id, method, params, result } = message;
    if (id) return replies.get(id)?.(result);
    if (method !== 'NodeWorker.receivedMessageFromWorker') return onEvent(message, sessionId);
    return receive(params.message, params.sessionId);
  };
  socket.addEventListener('message', ({ data }) => receive(data));
  return { send, sendTo };
};

/** Bundles as a debugger sees them, with their source maps. */
class Scripts {
  readonly #maps = new Map<string, { map: SourceMap; directory: string }>();

  /** The place in a source, as a path within the project, that a place in a bundle comes from. */
  readonly sourceOf = ({ scriptId, lineNumber, columnNumber }: Message) => {
    const { map, directory } = this.#maps.get(scriptId) ?? {};
    const origin = map?.findEntry(lineNumber, columnNumber);
    if (!directory || !origin || !('originalSource' in origin)) return undefined;
    return {
      file: join(directory, origin.originalSource).replace(/^.*\/project\//, ''),
      line: origin.originalLine,
    };
  };

  /** Reads a bundle. @returns its line where the source map says that one of a source begins */
  lineOf(wanted: { file: string; line: number }, { scriptId, url, sourceMapURL }: Message): number {
    if (!url.includes('/.build/') || !sourceMapURL) return -1;
    const path = fileURLToPath(url);
    const directory = join(path, '..');
    const map = new SourceMap(JSON.parse(readFileSync(join(directory, sourceMapURL), 'utf8')));
    this.#maps.set(scriptId, { map, directory });
    const code = readFileSync(path, 'utf8').split('\n');
    return code.findIndex((text, lineNumber) => {
      const source = this.sourceOf({ scriptId, lineNumber, columnNumber: text.search(/\S/) });
      return source?.file === wanted.file && source.line === wanted.line;
    });
  }
}

/**
 * A debugger, as VS Code is one: it attaches to the process, and to its threads when they start.
 */
const attach = async (url: string) => {
  let wanted = { file: '', line: -1 };
  let holds = false;
  const scripts = new Scripts();
  const stopped = Promise.withResolvers<Message>();
  const held = Promise.withResolvers<void>();

  const paused = async (
    sessionId: string,
    { callFrames: [frame], hitBreakpoints, reason }: Message,
  ) => {
    if (holds) return held.resolve();
    const resume = () => sendTo(sessionId, 'Debugger.resume');
    if (reason === 'instrumentation' || !hitBreakpoints?.length) return resume();
    const evaluate = async (expression: string) => {
      const { callFrameId } = frame;
      const params = { callFrameId, expression };
      const { result } = await sendTo(sessionId, 'Debugger.evaluateOnCallFrame', params);
      return result.value;
    };
    return stopped.resolve({ frame, evaluate, resume });
  };
  const onEvent = async ({ method, params }: Message, sessionId = '') => {
    switch (method) {
      case 'NodeWorker.attachedToWorker': {
        const instrumentation = 'beforeScriptWithSourceMapExecution';
        const thread = params.sessionId;
        await sendTo(thread, 'Debugger.enable');
        await sendTo(thread, 'Debugger.setInstrumentationBreakpoint', { instrumentation });
        return sendTo(thread, 'Runtime.runIfWaitingForDebugger');
      }
      case 'Debugger.scriptParsed': {
        const lineNumber = scripts.lineOf(wanted, params);
        const place = { url: params.url, lineNumber };
        return lineNumber >= 0 && sendTo(sessionId, 'Debugger.setBreakpointByUrl', place);
      }
      case 'Debugger.paused':
        return paused(sessionId, params);
      default:
        return undefined;
    }
  };
  const { send, sendTo } = await connect(url, onEvent);
  // A thread that starts before the reply would not wait for its breakpoint.
  await send('NodeWorker.enable', { waitForDebuggerOnStart: true });
  return {
    stopped: stopped.promise,
    held: held.promise,
    sourceOf: scripts.sourceOf,
    breakAt: (file: string, line: number) => {
      wanted = { file, line };
    },
    /** Leaves every thread where it stops next. */
    hold: () => {
      holds = true;
    },
  };
};
