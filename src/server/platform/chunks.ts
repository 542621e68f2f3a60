import { GraphQLError } from 'graphql';

import { concatenate } from '../../shared/index.ts';
import type { ChunkStream } from '../../shared/index.ts';
import { malformedEvent } from './event-fields.ts';

/** The error for a body that other code has already read. Logged, because it is not the client's fault. */
export function bodyTaken(advice: string): GraphQLError {
  return new GraphQLError(`The body of the request was read before it reached this handler, and its content is lost. ${advice}`, {
    extensions: { code: 'INTERNAL_SERVER_ERROR', http: { status: 500 } },
  });
}

/** Reads a body to its end, or beyond the limit. Counts the bytes, because a Content-Length may be wrong or missing. */
export async function readChunks(chunks: AsyncIterable<unknown>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of chunks) {
      if (!(chunk instanceof Uint8Array)) throw notOfBytes();
      length += chunk.byteLength;
      parts.push(chunk);
      if (length > maxBytes) break;
    }
  } catch (error) {
    throw brokenBody(error);
  }
  return concatenate(parts, length);
}

/** The error for a body that could not be read to its end: the client disconnected or sent nonsense, or the host has a lower limit. */
export function brokenBody(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if (!isTooLargeForHost(error)) return malformedEvent('Expected a whole body, but it ended early or could not be read.');
  return new GraphQLError('Expected a body within the limit of the server around this handler, got more.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 413 } },
  });
}

/** Hosts that limit bodies end the stream with an error that has the status 413: SvelteKit in `status`, Express in `statusCode`. */
function isTooLargeForHost(error: unknown): boolean {
  const { status, statusCode } = (error ?? {}) as { readonly status?: unknown; readonly statusCode?: unknown };
  return status === 413 || statusCode === 413;
}

/** The error for a body whose chunks are not bytes. */
export function notOfBytes(): GraphQLError {
  return malformedEvent('Expected the body to be a stream of bytes.');
}

/** The members of a Node stream that a streamed answer needs. */
export interface ChunkOutput {
  readonly destroyed?: boolean;
  /** False: wait for "drain" before the next chunk. */
  write(chunk: string | Uint8Array): boolean;
  once(event: 'close' | 'drain', listener: () => void): unknown;
  off(event: 'close' | 'drain', listener: () => void): unknown;
}

/** Reads each chunk after the previous one has been written, so that a client that does not read pauses the source. */
export async function writeChunks(chunks: ChunkStream, output: ChunkOutput): Promise<void> {
  let isClosed = output.destroyed === true;
  const close = (): void => {
    isClosed = true;
    void chunks.return();
  };
  output.once('close', close);
  for await (const chunk of chunks) {
    if (isClosed) break;
    if (!output.write(chunk) && !isClosed) await writable(output);
  }
  output.off('close', close);
}

function writable(output: ChunkOutput): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      output.off('drain', done);
      output.off('close', done);
      resolve();
    };
    output.once('drain', done);
    output.once('close', done);
  });
}
