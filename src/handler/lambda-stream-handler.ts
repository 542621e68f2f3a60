import { answer, doNotWaitForEventLoop } from './handler.ts';
import type { Call } from './handler.ts';
import { streaming } from '../http/streams/streaming.ts';
import { PlatformInvocation } from './invocation.ts';
import type { ServerOptions } from '../server/options.ts';
import { findStreamingAdapter, writeResponse } from '../platform/lambda-stream.ts';
import type { ResponseStream } from '../platform/lambda-stream.ts';
import { warnIfRecreated, createStarter } from '../server/start.ts';
import type { OptionsSource, Starter } from '../server/start.ts';

/** Writes the answer to an event into a stream. */
export type UntypedStreamingHandler = (event: unknown, responseStream: ResponseStream, context?: unknown) => Promise<void>;

/** AWS's runtime looks for this mark to call a handler with a stream. `awslambda.streamifyResponse` sets the same. */
const handlerMark = Symbol.for('aws.lambda.runtime.handler.streaming');

/** Options in, handler out, for Lambda functions that stream. Throws for wrong options and wrong schema text. */
export function createUntypedStreamingHandler(options: OptionsSource<ServerOptions>): UntypedStreamingHandler {
  const starter = createStarter(options);
  const made = warnIfRecreated(options);
  const handler: UntypedStreamingHandler = (event, responseStream, context) => {
    made.calls++;
    return serveIntoStream(starter, { event, context, env: undefined }, responseStream);
  };
  return Object.assign(handler, { [handlerMark]: 'response' });
}

/** The whole line for one event. The invocation lasts as long as the promise: work handed to `waitUntil` goes on behind the last byte. */
async function serveIntoStream(starter: Starter, call: Call, output: ResponseStream): Promise<void> {
  const adapter = findStreamingAdapter(call.event);
  doNotWaitForEventLoop(call.context);
  const invocation = new PlatformInvocation(call, adapter, starter);
  const response = await answer({
    adapter,
    starter,
    invocation,
    streaming: adapter.toStreamResult && streaming,
    request: undefined,
    server: undefined,
    call: undefined,
    finished: undefined,
  });
  await writeResponse(adapter, { response, event: call.event }, output);
  invocation.answered();
  await invocation.settled();
}
