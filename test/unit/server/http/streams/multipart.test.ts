import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { incrementalDelivery } from '../../../../../src/server/http/streams/incremental-delivery.ts';
import { payloadChunks } from '../../../../../src/server/http/streams/payload-chunks.ts';
import type { PayloadWriting } from '../../../../../src/server/http/streams/payload-chunks.ts';
import type { ChunkStream } from '../../../../../src/shared/http-messages.ts';
import type { PayloadStream, SubsequentPayload } from '../../../../../src/server/operation/types.ts';
import { parseParts } from '../../../../support/multipart.ts';

const { multipart } = incrementalDelivery();
const head = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';

describe('a multipart body', () => {
  it('ends each part with its boundary, so that a client need not wait for the next part', async () => {
    const { stream } = open([{ hasNext: true, incremental: [] }, { hasNext: false }]);

    const chunks = await chunksOf(stream);

    deepEqual(chunks, [
      `\r\n---${head}{"data":1,"hasNext":true}\r\n---`,
      `${head}{"hasNext":true,"incremental":[]}\r\n---`,
      `${head}{"hasNext":false}\r\n-----\r\n`,
    ]);
    deepEqual(parseParts(chunks.join('')).length, 3);
  });

  it('pulls a payload only when a part is read', async () => {
    const { stream, log } = open([{ hasNext: true }, { hasNext: true }, { hasNext: false }]);

    await stream.next();
    deepEqual(log, []);
    await stream.next();

    deepEqual(log, ['payload']);
  });

  it('closes the payloads when the client disconnects, and ends', async () => {
    const { stream, log } = open([{ hasNext: true }]);
    await stream.next();

    await stream.return();
    await stream.return();

    deepEqual(log, ['leave', 'payloads closed']);
    equal((await stream.next()).done, true);
  });
});

function open(payloads: SubsequentPayload[]): { stream: ChunkStream; log: string[] } {
  const log: string[] = [];
  const settings: PayloadWriting = {
    first: '{"data":1,"hasNext":true}',
    toJSON: (payload) => JSON.stringify(payload),
    onEnd: () => log.push('end'),
    onLeave: () => log.push('leave'),
    onStop: () => log.push('stop'),
  };
  const left = [...payloads];
  const stream: PayloadStream = {
    [Symbol.asyncIterator]: () => stream,
    next: async () => {
      const value = left.shift();
      if (value === undefined) return { done: true, value };
      log.push('payload');
      return { done: false, value };
    },
    return: async () => {
      log.push('payloads closed');
      return { done: true, value: undefined };
    },
    finish: () => {},
    errorsOf: () => [],
  };
  return { stream: payloadChunks(stream, multipart, settings), log };
}

async function chunksOf(stream: AsyncIterable<string>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
