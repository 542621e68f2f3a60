import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';

import type { ResponseStream } from '../../src/entries/aws-lambda.ts';

/** The stream that Lambda's runtime passes to a streaming function, and what is written to it. */
export interface RecordedStream {
  readonly output: ResponseStream & PassThrough;
  contentType(): string | undefined;
  /** The chunks written so far. */
  readonly writes: string[];
  /** The complete text, once the stream has ended. */
  text(): Promise<string>;
}

/** A stream that accepts the given number of bytes before it applies backpressure. It is read while `text` is awaited. */
export function recordStream(highWaterMark: number = 16_384): RecordedStream {
  const stream = new PassThrough({ highWaterMark });
  const writes: string[] = [];
  let contentType: string | undefined;
  const write = stream.write.bind(stream) as (chunk: string | Uint8Array) => boolean;
  const output = Object.assign(stream, {
    setContentType(type: string) {
      assert.deepEqual(writes, [], 'the type is set before anything is written');
      contentType = type;
    },
    write(chunk: string | Uint8Array) {
      writes.push(Buffer.from(chunk).toString());
      return write(chunk);
    },
  }) as RecordedStream['output'];
  return {
    output,
    contentType: () => contentType,
    writes,
    async text() {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    },
  };
}

/** Head and body of what was written: JSON, eight NUL bytes, and the rest. */
export function splitPrelude(text: string): { head: Record<string, unknown>; body: string } {
  const end = text.indexOf('\0'.repeat(8));
  assert.ok(end > 0, `expected a prelude, got ${JSON.stringify(text.slice(0, 200))}`);
  return { head: JSON.parse(text.slice(0, end)) as Record<string, unknown>, body: text.slice(end + 8) };
}
