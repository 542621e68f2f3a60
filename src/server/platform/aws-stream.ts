import { waitAtMost } from '../../shared/index.ts';
import type { HTTPResponse, OperationInvocation, StreamedResponse } from '../../shared/index.ts';
import { findAdapter, ping, writeChunks } from './adapter.ts';
import type { PlatformAdapter, ChunkOutput } from './adapter.ts';
import { directInvoke, functionURL, lambdaAdapters, restAPI } from './aws.ts';

/** The output of a streaming function. AWS's runtime makes it; it is not a complete `Writable` of Node. */
export interface ResponseStream extends ChunkOutput {
  setContentType(contentType: string): void;
  end(callback?: () => void): unknown;
  once(event: 'close' | 'drain' | 'error', listener: () => void): unknown;
  destroy?(): unknown;
  readonly destroyed?: boolean;
}

/** The event sources that can stream. */
const carriers: readonly PlatformAdapter<never>[] = [functionURL, restAPI];
/** Adapters whose result is a value without status and headers. */
const bare: readonly PlatformAdapter<never>[] = [directInvoke, ping];

/** The adapter for an event of a streaming function. Throws for an unknown event, and for a source that cannot read such a stream. */
export function findStreamingAdapter(event: unknown): PlatformAdapter<unknown> {
  const adapter = findAdapter(lambdaAdapters, event, [...carriers, ...bare]);
  const known = adapter as PlatformAdapter<never>;
  if (bare.includes(known)) return unlimited(adapter);
  if (carriers.includes(known)) return { ...unlimited(adapter), toStreamResult: (response) => response };
  throw new Error(
    `Expected an event of ${carriers.map(({ name }) => name).join(' or ')}, got one of: ${adapter.name}. ` +
      'Other sources cannot stream: use createHandler for them.',
  );
}

/** Removes the limits that hold for whole answers only: streams may be larger, take longer, and have no base64. */
function unlimited({
  maxResultBytes: _bytes,
  timeLimit: _time,
  decodesBase64: _base64,
  ...adapter
}: PlatformAdapter<unknown>): PlatformAdapter<unknown> {
  return adapter;
}

/** A response on its way to the platform. */
interface Departing {
  readonly response: HTTPResponse | StreamedResponse;
  readonly event: unknown;
  readonly invocation: Pick<OperationInvocation, 'untilLate'>;
}

/** Writes the whole response. Resolves when the platform has taken all of it, when the client has gone, or when it does not read in time. */
export async function writeResponse(
  adapter: PlatformAdapter<unknown>,
  { response, event, invocation }: Departing,
  output: ResponseStream,
): Promise<void> {
  // If a stream closes before its end, end() never calls back, and the invocation would last until its timeout.
  const closed = new Promise<void>((resolve) => {
    output.once('close', resolve);
    // Without a listener, the error of a connection that broke off would end the process.
    output.once('error', () => resolve());
  });
  // The client left while the answer was prepared. The stream may emit no event any more.
  if (output.destroyed === true) {
    if (typeof response.body === 'object') await response.body?.return();
    return;
  }
  const written = Promise.race([closed, writeAll(adapter, { response, event }, output)]);
  await invocation.untilLate(written, async () => {
    if ((await waitAtMost(timeToRead, written)) === 'late') output.destroy?.();
  });
}

/** Milliseconds after the last moment that a client has to read the rest. */
const timeToRead = 100;

async function writeAll(
  adapter: PlatformAdapter<unknown>,
  { response, event }: Omit<Departing, 'invocation'>,
  output: ResponseStream,
): Promise<void> {
  if (adapter.toStreamResult === undefined) {
    output.setContentType('application/json');
    output.write(JSON.stringify(adapter.toResult(response as HTTPResponse, event)));
  } else {
    const { body } = response;
    writePrelude(adapter.toResult({ ...response, body: null }, event), output);
    if (typeof body === 'string') output.write(body);
    else if (body !== null) await writeChunks(body, output);
  }
  await new Promise<void>((resolve) => void output.end(resolve));
}

/**
 * Writes status and headers, followed by eight NUL bytes, before the body. `awslambda.HttpResponseStream` would write them with the
 * first chunk, so an answer without a body would lose its status; and not every runtime has this global.
 */
function writePrelude(result: unknown, output: ResponseStream): void {
  const { body: _empty, isBase64Encoded: _unused, ...head } = result as Record<string, unknown>;
  output.setContentType('application/vnd.awslambda.http-integration-response');
  output.write(JSON.stringify(head) + '\0'.repeat(8));
}
