import type { HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { runtime } from '../platform/runtime.ts';
import { isStreamed } from './call.ts';
import type { Call } from './call.ts';

/** Converts a response to the platform's result: a stream at once, everything else after the work passed to `waitUntil`. */
export function toPlatformResult(response: HTTPResponse | StreamedResponse, call: Call): unknown {
  const { adapter, invocation } = call;
  if (isStreamed(response)) {
    watchStream(response, call);
    return adapter.toStreamResult?.(response, invocation.event);
  }
  invocation.clock.answered();
  return invocation.hasWork ? toResultAfterWork(response, call) : toResult(response, call);
}

/** The stream reports the end of the call. */
export function watchStream({ body }: StreamedResponse, { starter, invocation }: Call): void {
  // Workers may drop a stream without a notice, and a process there is never closed.
  if (runtime() !== 'Cloudflare-Workers') invocation.clock.onAnswered = starter.calls.addStream(body);
}

async function toResultAfterWork(response: HTTPResponse, call: Call): Promise<unknown> {
  await call.invocation.settled();
  return toResult(response, call);
}

function toResult(response: HTTPResponse, { adapter, starter, invocation }: Call): unknown {
  const losses = adapter.losses?.(response, invocation.event);
  if (losses !== undefined) starter.logger().warn(losses);
  return adapter.toResult(response, invocation.event);
}
