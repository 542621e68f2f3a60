import { Call, OperationLife, isStreamed } from './call.ts';
import { createClose, Starter } from './startup/start.ts';
import { streaming } from './doors/graphql/streams/streaming.ts';
import { answer } from './pipeline.ts';
import { createObserved } from './startup/observer.ts';
import { findStreamingAdapter, writeResponse } from './platform/aws-stream.ts';
import type { PlatformCall } from './platform/adapter.ts';
import type { ResponseStream } from './platform/aws-stream.ts';
import type { ServerOptions } from './startup/options.ts';
import type { OptionsSource } from './startup/start.ts';

/** Writes the answer to an event into a stream. */
export interface UntypedStreamingHandler {
  (event: unknown, responseStream: ResponseStream, context?: unknown): Promise<void>;
  close(): Promise<void>;
}

/** AWS's runtime looks for this mark to call a handler with a stream. `awslambda.streamifyResponse` sets the same. */
const handlerMark = Symbol.for('aws.lambda.runtime.handler.streaming');

/** Options in, handler out, for Lambda functions that stream. Throws for wrong options and wrong schema text. */
export function createUntypedStreamingHandler(options: OptionsSource<ServerOptions>): UntypedStreamingHandler {
  return createObserved((source) => {
    const starter = new Starter(source);
    const handler = (event: unknown, responseStream: ResponseStream, context?: unknown): Promise<void> =>
      starter.calls.add(serveIntoStream(starter, { event, context, env: undefined }, responseStream));
    return Object.assign(handler, { [handlerMark]: 'response', close: createClose(starter) });
  }, options);
}

/** The invocation lasts as long as the promise: work passed to `waitUntil` goes on after the last byte. */
async function serveIntoStream(starter: Starter, given: Required<PlatformCall>, output: ResponseStream): Promise<void> {
  const adapter = findStreamingAdapter(given.event);
  const call = new Call(adapter, { starter, streaming }, given);
  const response = await answer(call);
  if (isStreamed(response)) call.lifetime.endWith(response.body);
  const invocation = new OperationLife(call, 'deadline');
  await writeResponse(adapter, { response, event: given.event, invocation }, output);
  call.answered();
  await call.lifetime.settled();
}
