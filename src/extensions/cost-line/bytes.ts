import { byteLength } from '../../shared/index.ts';
import type { ChunkStream, HTTPRequest } from '../../shared/index.ts';

/** Bytes of a request's body, or of a GET's query string. Undefined: the body is a stream of unknown length. */
export function bytesIn({ body, queryString, headers }: HTTPRequest): number | undefined {
  if (body.kind === 'none') return queryString.length;
  if (body.kind === 'text') return byteLength(body.text);
  if (body.kind === 'bytes') return body.bytes.length;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  return Number.isFinite(length) ? length : undefined;
}

/** Returns the same chunks. `end` is called once, with the number of bytes that were read. */
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
