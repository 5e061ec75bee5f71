import { readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sendOperation, sendRequest } from '../../bin/openapi/send-request.ts';
import { routes } from '../../functions/domain/routes.ts';
import { demo } from '../../lib/openapi/demo.ts';
import { operations } from '../../lib/openapi/operations.ts';
import { copyOfProject, start } from './start.ts';

// biome-ignore lint/suspicious/noExplicitAny: the members of a message depend on its method.
type Message = any;

const endpoint = 'functions/approve-payment-request.ts';
const timeoutMs = 1000;

test('a debugger stops in the source of an endpoint for longer than its timeout', async () => {
  const project = copyOfProject();
  const timeouts = join(project, 'lib/service-function.ts');
  const source = readFileSync(timeouts, 'utf8');
  expect(source).toContain('endpointTimeout = Duration.seconds(10)');
  writeFileSync(
    timeouts,
    source.replace(
      'endpointTimeout = Duration.seconds(10)',
      'endpointTimeout = Duration.seconds(1)',
    ),
  );
  const run = start(['--inspect', '0'], { project });
  const { url } = await run.welcomed();
  const listening = /Debugger listening on (\S+)/;
  await expect.poll(run.output).toMatch(listening);

  const debug = await attach(listening.exec(run.output())?.[1] ?? '');
  const lines = readFileSync(join(project, endpoint), 'utf8').split('\n');
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

/**
 * A debugger, as VS Code is one: it attaches to the process, and to its threads when they start.
 */
const attach = async (url: string) => {
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.addEventListener('open', resolve));

  const replies = new Map<number, (result: Message) => void>();
  let messages = 0;
  const send = (method: string, params: object): Promise<Message> => {
    messages += 1;
    const id = messages;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => replies.set(id, resolve));
  };
  const sendTo = (sessionId: string, method: string, params: object = {}): Promise<Message> => {
    messages += 1;
    const id = messages;
    const message = JSON.stringify({ id, method, params });
    void send('NodeWorker.sendMessageToWorker', { sessionId, message });
    return new Promise((resolve) => replies.set(id, resolve));
  };

  let wanted = { file: '', line: -1 };
  let holds = false;
  const maps = new Map<string, { map: SourceMap; directory: string }>();
  const stopped = Promise.withResolvers<Message>();
  const held = Promise.withResolvers<void>();
  const sourceOf = ({ scriptId, lineNumber, columnNumber }: Message) => {
    const { map, directory } = maps.get(scriptId) ?? {};
    const origin = map?.findEntry(lineNumber, columnNumber);
    if (!directory || !origin || !('originalSource' in origin)) return undefined;
    return {
      file: join(directory, origin.originalSource).replace(/^.*\/project\//, ''),
      line: origin.originalLine,
    };
  };

  /** Sets the breakpoint where the source map says that the line begins. */
  const parsed = async (sessionId: string, { scriptId, url, sourceMapURL }: Message) => {
    if (!url.includes('/.build/') || !sourceMapURL) return;
    const path = fileURLToPath(url);
    const directory = join(path, '..');
    const map = new SourceMap(JSON.parse(readFileSync(join(directory, sourceMapURL), 'utf8')));
    maps.set(scriptId, { map, directory });
    const code = readFileSync(path, 'utf8').split('\n');
    const lineNumber = code.findIndex((text, lineNumber) => {
      const source = sourceOf({ scriptId, lineNumber, columnNumber: text.search(/\S/) });
      return source?.file === wanted.file && source.line === wanted.line;
    });
    if (lineNumber >= 0)
      await sendTo(sessionId, 'Debugger.setBreakpointByUrl', { url, lineNumber });
  };
  const paused = async (
    sessionId: string,
    { callFrames: [frame], hitBreakpoints, reason }: Message,
  ) => {
    if (holds) held.resolve();
    else if (reason !== 'instrumentation' && hitBreakpoints?.length > 0) {
      const evaluate = async (expression: string) => {
        const { callFrameId } = frame;
        const { result } = await sendTo(sessionId, 'Debugger.evaluateOnCallFrame', {
          callFrameId,
          expression,
        });
        return result.value;
      };
      stopped.resolve({ frame, evaluate, resume: () => sendTo(sessionId, 'Debugger.resume') });
    } else await sendTo(sessionId, 'Debugger.resume');
  };
  socket.addEventListener('message', async ({ data }) => {
    const { id, method, params, result } = JSON.parse(data) as Message;
    if (id) replies.get(id)?.(result);
    else if (method === 'NodeWorker.attachedToWorker') {
      await sendTo(params.sessionId, 'Debugger.enable');
      await sendTo(params.sessionId, 'Debugger.setInstrumentationBreakpoint', {
        instrumentation: 'beforeScriptWithSourceMapExecution',
      });
      await sendTo(params.sessionId, 'Runtime.runIfWaitingForDebugger');
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      const message = JSON.parse(params.message) as Message;
      if (message.id) replies.get(message.id)?.(message.result);
      else if (message.method === 'Debugger.scriptParsed') {
        await parsed(params.sessionId, message.params);
      } else if (message.method === 'Debugger.paused') {
        await paused(params.sessionId, message.params);
      }
    }
  });
  // A thread that starts before the reply would not wait for its breakpoint.
  await send('NodeWorker.enable', { waitForDebuggerOnStart: true });
  return {
    stopped: stopped.promise,
    held: held.promise,
    sourceOf,
    breakAt: (file: string, line: number) => {
      wanted = { file, line };
    },
    /** Leaves every thread where it stops next. */
    hold: () => {
      holds = true;
    },
  };
};
