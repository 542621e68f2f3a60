import type { HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { isStreamed } from './call.ts';
import type { Call } from './call.ts';

/** Converts a response to the platform's result: a stream at once, everything else after the work passed to `waitUntil`. */
export function toPlatformResult(response: HTTPResponse | StreamedResponse, call: Call): unknown {
  const { adapter, invocation } = call;
  // The stream reports the end of the call.
  if (isStreamed(response)) return adapter.toStreamResult?.(response, invocation.event);
  invocation.clock.answered();
  return invocation.hasWork ? toResultAfterWork(response, call) : toResult(response, call);
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
