import { Readable, Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';

import { withoutBody } from './results.ts';

/** A call of a streaming handler. */
export interface StreamedCall {
  readonly handler: StreamingHandler;
  readonly event: unknown;
  readonly context: unknown;
  /** Converts the status and headers, which precede the body, to a response without a body. */
  readonly readHead: (result: unknown) => Response;
}

// Any: the handler decides which methods of the stream it needs.
export type StreamingHandler = (event: any, responseStream: any, context: any) => Promise<unknown>;

/** Checks for the mark of a streaming handler, as AWS's runtime does. */
export function isStreamingHandler(handler: unknown): handler is StreamingHandler {
  return typeof handler === 'function' && Reflect.get(handler, Symbol.for('aws.lambda.runtime.handler.streaming')) === 'response';
}

/** Calls the handler as AWS's runtime does. Resolves when the head of the response has been written; the body is streamed. */
export function callStreamingHandler({ handler, event, context, readHead }: StreamedCall): Promise<Response> {
  return new Promise((resolve, reject) => {
    const output = new ResponseStream((head, contentType) => {
      try {
        const { status, headers } = head === undefined ? new Response(null, { headers: { 'content-type': contentType } }) : readHead(head);
        const body = withoutBody.has(status) ? null : (Readable.toWeb(output) as ReadableStream<Uint8Array>);
        if (body === null) output.resume();
        resolve(new Response(body, { status, headers }));
      } catch (error) {
        reject(error as Error);
      }
    });
    // The reader of the body sees the error; without a reader, the rejection shows it.
    output.on('error', () => {});
    handler(event, output, context).catch((error: unknown) => {
      reject(error as Error);
      output.destroy(error as Error);
    });
  });
}
const delimiter = Buffer.alloc(8);

/** The stream of AWS's runtime. With a special content type, the head of the response is the text before eight NUL bytes. */
class ResponseStream extends Transform {
  readonly #begin: (head: object | undefined, contentType: string) => void;
  #contentType = 'application/octet-stream';
  #head: Buffer | undefined = Buffer.alloc(0);

  constructor(begin: (head: object | undefined, contentType: string) => void) {
    super();
    this.#begin = begin;
  }

  setContentType(contentType: string): void {
    this.#contentType = contentType;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.#head === undefined) done(null, chunk);
    else if (this.#contentType === 'application/vnd.awslambda.http-integration-response') {
      this.#head = Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf(delimiter);
      if (end < 0) done();
      else done(null, this.#start(JSON.parse(this.#head.subarray(0, end).toString()) as object).subarray(end + delimiter.length));
    } else {
      this.#start(undefined);
      done(null, chunk);
    }
  }

  /** A handler may write nothing. */
  override _flush(done: TransformCallback): void {
    if (this.#head !== undefined) this.#start(undefined);
    done();
  }

  #start(head: object | undefined): Buffer {
    const read = this.#head ?? delimiter;
    this.#head = undefined;
    this.#begin(head, this.#contentType);
    return read;
  }
}
