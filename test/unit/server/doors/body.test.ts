import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHandler } from '../../../../src/entries/fetch.ts';
import type { PromiseOrValue } from '../../../../src/shared/promise-or-value.ts';
import { readText } from '../../../../src/server/doors/body.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { json, post } from '../../../support/plain-http.ts';

const text = '{"query":"{ hello }"}';
const hello = { data: { hello: 'Hello, world!' } };

describe('a body', () => {
  const readable: Readonly<Record<string, string | Uint8Array>> = {
    'as bytes': Buffer.from(text),
    'with a byte order mark, as text': `\ufeff${text}`,
    'with a byte order mark, as bytes': Buffer.from(`\ufeff${text}`),
    'with a key twice: the last one counts': '{"query":"{ explode }","query":"{ hello }"}',
  };
  for (const [name, body] of Object.entries(readable))
    it(`${name} is read`, async () => {
      assert.deepEqual(json(await createEndpoint().send(post(body))), hello);
    });

  const unreadable: Readonly<Record<string, string | Uint8Array>> = {
    'that is empty': '',
    'that is cut off': text.slice(0, -1),
    'with text after it': `${text}x`,
    'of several JSON texts (NDJSON)': `${text}\n${text}`,
    'that is a form': 'query=%7Bhello%7D',
    'that is not UTF-8': Buffer.from('{"query":"{ hello(name: \\"é\\") }"}', 'latin1'),
    'with half a surrogate pair in UTF-8': Buffer.concat([Buffer.from('{"query":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    'in UTF-16': Buffer.from(`\ufeff${text}`, 'utf16le'),
    'that is compressed': Buffer.from('H4sIAAAAAAAAA6tWKixNLapUslKqVshIzcnJV6hVqgUAEdsOPRUAAAA=', 'base64'),
  };
  for (const [name, body] of Object.entries(unreadable)) {
    it(`${name} is 400 with a GraphQL error that does not repeat it`, async () => {
      const endpoint = createEndpoint();

      const response = await endpoint.send(post(body));

      assert.equal(response.status, 400);
      const [error] = json(response).errors;
      assert.equal(error.extensions.code, 'BAD_REQUEST');
      assert.match(
        error.message,
        /^Expected (?:a JSON body, got an empty one|the body to be JSON, but it does not parse|the body to be UTF-8 text, but its bytes are not)\.$/,
      );
      assert.deepEqual(endpoint.runs, []);
    });
  }

  for (const body of ['{"query":\n "{ hello }",}', '{"query": secret}', '{"query":']) {
    it(`${JSON.stringify(body)} does not parse: development says where`, async () => {
      for (const [nodeEnv, expected] of Object.entries({ development: /parse: \S.*\.$/, production: /parse\.$/, test: /parse\.$/ })) {
        const [error] = json(await createEndpoint({ nodeEnv }).send(post(body))).errors;
        assert.match(error.message, expected);
      }
    });
  }

  for (const [name, at] of [
    ['text', (body: string): string => body],
    ['bytes', (body: string): Uint8Array => Buffer.from(body)],
  ] as const) {
    it(`of exactly maxBodyBytes runs, one byte more is 413, as ${name}`, async () => {
      const body = '{"query":"{ hello(name: \\"ä🦊\\") }"}';
      const endpoint = createEndpoint({ maxBodyBytes: Buffer.byteLength(body) });

      const within = await endpoint.send(post(at(body)));
      const beyond = await endpoint.send(post(at(`${body} `)));

      assert.deepEqual([within.status, beyond.status], [200, 413]);
    });
  }
});

describe('a body that a runtime passes complete', () => {
  const read = (bytes: Uint8Array, maxBytes: number): PromiseOrValue<string> =>
    readText({ kind: 'stream', chunks: notIterated(), read: async () => bytes }, maxBytes);

  it('is not read in chunks, and is 413 above the limit', async () => {
    assert.equal(await read(Buffer.from(text), text.length), text);
    await assert.rejects(async () => read(Buffer.from(text), text.length - 1), {
      extensions: { code: 'BAD_REQUEST', http: { status: 413 } },
    });
  });

  it('is refused if its bytes are not UTF-8, and the next one is read', async () => {
    await assert.rejects(async () => read(Uint8Array.of(0x22, 0xf0, 0x9f), 100), /UTF-8/);
    assert.equal(await read(Buffer.from('"ä"'), 100), '"ä"');
  });
});

// oxlint-disable-next-line require-yield
async function* notIterated(): AsyncGenerator<Uint8Array> {
  throw new Error('Expected nobody to read it in pieces.');
}

describe('objects and lists of a large body', () => {
  /** More than 64 KiB, below which nothing is counted. */
  const padding = 'x'.repeat(70_000);
  const bodyWith = (containers: number): string =>
    `{"query":"{ hello }","padding":"${padding}","x":[${Array.from({ length: containers - 2 }, () => '{}').join(',')}]}`;

  it('are limited to one for each 20 bytes of maxBodyBytes; one more is 422', async () => {
    const endpoint = createEndpoint({ maxBodyBytes: 100_000 });

    const [within, beyond] = [await endpoint.send(post(bodyWith(5000))), await endpoint.send(post(bodyWith(5001)))];

    assert.deepEqual([within.status, beyond.status], [200, 422]);
    assert.equal(json(beyond).errors[0].message, 'Expected a request of at most 5000 objects and lists, got more.');
  });

  for (const text of ['{['.repeat(5000), '\\"{'.repeat(3000), String.raw`\\"[[{{`.repeat(1500), '\\']) {
    it(`are not counted in strings: ${text.slice(0, 8)}…`, async () => {
      const body = { query: '{ hello }', padding, text: [text, text], end: { a: [] } };

      assert.deepEqual(json(await createEndpoint({ maxBodyBytes: 150_000 }).send(post(body))), hello);
    });
  }
});

describe('a body that is a stream', () => {
  const handler = createHandler({
    typeDefs: 'type Query { hello: String }',
    resolvers: { Query: { hello: () => 'x' } },
    nodeEnv: '',
    maxBodyBytes: 1000,
  });

  it('is measured while it is read: one that does not end is aborted', async () => {
    let pulls = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        pulls += 1;
        controller.enqueue(new Uint8Array(100).fill(0x20));
      },
    });

    const response = await handler(requestWith(endless));
    let before: number;
    do {
      before = pulls;
      await new Promise((resolve) => setImmediate(resolve));
    } while (pulls !== before);

    assert.equal(response.status, 413);
    assert.ok(pulls < 20_000, `${pulls} chunks were read`);
  });

  it('of exactly the limit runs, one byte more is 413', async () => {
    const at = (length: number): ReadableStream => ReadableStream.from([Buffer.from('{"query":"{ hello }"}'.padEnd(length, ' '))]);

    const statuses = [(await handler(requestWith(at(1000)))).status, (await handler(requestWith(at(1001)))).status];

    assert.deepEqual(statuses, [200, 413]);
  });

  for (const named of [{ status: 413 }, { statusCode: 413 }]) {
    it(`that the host cuts off at its limit is 413: ${JSON.stringify(named)}`, async () => {
      const ended = new ReadableStream({ pull: () => Promise.reject(Object.assign(new Error('Payload Too Large'), named)) });

      const response = await handler(requestWith(ended));

      assert.equal(response.status, 413);
      assert.match(await response.text(), /Expected a body within the limit of the server around this handler/);
    });
  }
});

function requestWith(body: ReadableStream): Request {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' };
  return new Request('https://example.org/graphql', init as RequestInit);
}
