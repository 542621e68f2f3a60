import type { HTTPRequest, ChunkStream } from '../../message/http-messages.ts';

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  // Node's `Buffer` counts without encoding.
  return globalThis.Buffer === undefined ? new TextEncoder().encode(text).length : Buffer.byteLength(text);
}

/** Bytes of a request's body, or of a GET's query string. Undefined: the body is a stream of unknown length. */
export function bytesIn({ body, queryString, headers }: HTTPRequest): number | undefined {
  if (body.kind === 'none') return queryString.length;
  if (body.kind === 'text') return byteLength(body.text);
  if (body.kind === 'bytes') return body.bytes.length;
  const said = Number(headers.get('content-length') ?? Number.NaN);
  return Number.isFinite(said) ? said : undefined;
}

/** The same stream of chunks; `end` gets the number of bytes that were read of it, once. */
export function countedBody(body: ChunkStream, end: (bytes: number) => void): ChunkStream {
  let bytes = 0;
  let isOver = false;
  const stop = (): void => {
    if (!isOver) end(bytes);
    isOver = true;
  };
  const counted: ChunkStream = {
    [Symbol.asyncIterator]: () => counted,
    next: async () => {
      const result = await body.next();
      if (result.done === true) stop();
      else bytes += byteLength(result.value);
      return result;
    },
    return: async () => {
      stop();
      return body.return();
    },
    stop: () => body.stop(),
  };
  return counted;
}
