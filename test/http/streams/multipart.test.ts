import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { multipart } from '../../../src/http/streams/multipart.ts';
import type { MultipartSettings } from '../../../src/http/streams/multipart.ts';
import type { PayloadStream, SubsequentPayload } from '../../../src/operation/types.ts';
import { parseParts } from '../../support/multipart.ts';

const head = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';

describe('a multipart body', () => {
  it('ends each part with the boundary after it, so that a client need not wait for the next', async () => {
    const { stream } = open([{ hasNext: true, incremental: [] }, { hasNext: false }]);

    const chunks = await chunksOf(stream);

    deepEqual(chunks, [
      `\r\n---${head}{"data":1,"hasNext":true}\r\n---`,
      `${head}{"hasNext":true,"incremental":[]}\r\n---`,
      `${head}{"hasNext":false}\r\n-----\r\n`,
    ]);
    deepEqual(parseParts(chunks.join('')).length, 3);
  });

  it('ends where the payloads end, also without a last one that says so', async () => {
    const { stream, log } = open([{ hasNext: true }]);

    equal((await chunksOf(stream)).join('').endsWith('\r\n-----\r\n'), true);
    deepEqual(log, ['payload', 'payloads closed', 'end']);
  });

  it('asks for a payload only when it is asked for a part', async () => {
    const { stream, log } = open([{ hasNext: true }, { hasNext: true }, { hasNext: false }]);

    await stream.next();
    deepEqual(log, []);
    await stream.next();

    deepEqual(log, ['payload']);
  });

  it('closes the payloads when the client leaves, and has nothing more to say', async () => {
    const { stream, log } = open([{ hasNext: true }]);
    await stream.next();

    await stream.return();
    await stream.return();

    deepEqual(log, ['leave', 'payloads closed']);
    equal((await stream.next()).done, true);
  });

  it('may have one part', () => {
    deepEqual(parseParts(multipart.one('{"data":null}')), [{ data: null }]);
  });
});

function open(payloads: SubsequentPayload[]): { stream: ReturnType<typeof multipart.stream>; log: string[] } {
  const log: string[] = [];
  const settings: MultipartSettings = {
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
  return { stream: multipart.stream(stream, settings), log };
}

async function chunksOf(stream: AsyncIterable<string>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
