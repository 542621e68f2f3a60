import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildSchema, GraphQLScalarType, versionInfo } from 'graphql';

import { createHandler } from '../../../../../src/entries/fetch.ts';
import { limits } from '../../../../../src/entries/limits.ts';
import { incrementalDelivery } from '../../../../../src/entries/incremental.ts';
import type { ServerOptions } from '../../../../../src/server/startup/options.ts';
import { deferred } from '../../../../support/deferred.ts';
import { createEventSource } from '../../../../support/event-source.ts';
import { webRequest } from '../../../../support/events.ts';
import { chunkReader, parseParts } from '../../../../support/multipart.ts';
import { post } from '../../../../support/plain-http.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const current = 'multipart/mixed;incrementalSpec=v0.2, application/json';

let served = 0;

/** Sends an operation to a server with `@defer` and `@stream`. */
function serve(options: Partial<ServerOptions<any, any>> = {}): (query: string, accept?: string) => Promise<Response> {
  const typeDefs = `
    type Query { fast: String slow: String list: [Int] self: Query odd: Odd }
    type Mutation { write: Written }
    type Written { at: String late: String }
    type Subscription { event: Query }
    scalar Odd
    # ${++served}
  `;
  const schema = options.schema === undefined ? { typeDefs, resolvers: resolversOf() } : {};
  const handler = createHandler<any, any>({
    nodeEnv: '',
    logger: recordingLogger()[0],
    incrementalDelivery: incrementalDelivery(),
    ...schema,
    ...options,
  });
  return async (query, accept = current) => handler.fetch(webRequest(post({ query }, { headers: [['accept', accept]] })));
}

function resolversOf(own: Record<string, unknown> = {}): NonNullable<ServerOptions<any, any>['resolvers']> {
  return {
    Query: {
      fast: () => 'fast',
      slow: async () => 'slow',
      list: () => [1, 2, 3],
      self: () => ({}),
      odd: () => ({ toJSON: () => 1n }),
      ...own,
    } as never,
    Mutation: { write: () => ({ at: 'once', late: 'more' }) },
    Odd: new GraphQLScalarType({ name: 'Odd', serialize: (value) => value }),
  };
}

async function codesOf(response: Response): Promise<unknown[]> {
  const { errors } = (await response.json()) as { errors: { extensions: { code: unknown } }[] };
  return errors.map(({ extensions }) => extensions.code);
}

describe('an incremental response', () => {
  it('starts before its deferred part is ready, ends each part with its boundary, and is neither cached nor buffered by proxies', async () => {
    const slow = deferred<string>();
    const response = await serve({ resolvers: resolversOf({ slow: () => slow.promise }) })('{ fast ... @defer { slow } }');
    const reader = chunkReader(response);

    const first = await reader.next();
    slow.resolve('at last');
    const second = await reader.next();

    const fields = ['cache-control', 'x-accel-buffering', 'vary'].map((name) => response.headers.get(name));
    assert.deepEqual(fields, ['private, no-store, no-transform', 'no', 'Accept']);
    const partHead = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';
    assert.equal(first, `\r\n---${partHead}{"data":{"fast":"fast"},"pending":[{"id":"0","path":[]}],"hasNext":true}\r\n---`);
    assert.match(second!, /^\r\ncontent-type: .*\r\n\r\n\{"hasNext":false.*"data":\{"slow":"at last"\}.*\}\r\n-----\r\n$/);
    assert.equal(await reader.next(), undefined);
  });

  it('has one part for a client that accepts only multipart, if the operation has one result', async () => {
    const response = await serve()('{ fast }', 'multipart/mixed');

    assert.equal(response.headers.get('content-type'), 'multipart/mixed; boundary="-"');
    assert.deepEqual(parseParts(await response.text()), [{ data: { fast: 'fast' } }]);
  });

  it('to an invalid document is one error with its status', async () => {
    for (const accept of [current, 'multipart/mixed']) {
      const response = await serve()('{ fast ... @defer { nothing } }', accept);

      assert.equal(response.status, 422);
      assert.deepEqual(await codesOf(response), ['GRAPHQL_VALIDATION_FAILED']);
    }
  });

  it('reports a value that JSON cannot represent in its part', async () => {
    const parts = parseParts(await (await serve()('{ fast ... @defer { odd } }')).text()) as any[];

    const { completed, ...rest } = parts.at(-1);
    assert.equal(completed[0].errors[0].message, 'Internal server error');
    assert.deepEqual([completed.length, completed[0].id, rest], [1, '0', { hasNext: false }]);
  });

  it('is one error if the first part has a value that JSON cannot represent, and closes its source', async () => {
    const source = createEventSource<number>();

    const response = await serve({ resolvers: resolversOf({ list: () => source }) })('{ odd list @stream }');

    assert.deepEqual([response.status, source.isClosed()], [500, true]);
  });

  it('reads at most 100 items ahead of its reader, and closes the source when the reader cancels', async () => {
    let items = 0;
    let ended = false;
    const list = async function* (): AsyncGenerator<number> {
      try {
        for (;;) yield (items += 1);
      } finally {
        ended = true;
      }
    };
    const reader = chunkReader(await serve({ resolvers: resolversOf({ list }) })('{ list @stream }'));
    await reader.next();
    await reader.next();

    for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => void setImmediate(resolve));
    assert.ok(items < 250, `${items} items for a reader of two parts`);

    await reader.cancel();
    await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(ended, true);
  });
});

describe('a single response', () => {
  it('is sent for a schema that defines @defer without the option', async () => {
    const schema = buildSchema(
      'directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT  type Query { fast: String slow: String }',
    );
    const rootValue = { fast: 'fast', slow: async () => 'slow' };
    const send = serve({ schema, rootValue, incrementalDelivery: undefined } as never);

    const response = await send('{ fast ... @defer { slow } }');

    assert.deepEqual(await response.json(), { data: { fast: 'fast', slow: 'slow' } });
  });

  it('is an error without the option and the directive', async () => {
    const response = await serve({ incrementalDelivery: undefined } as never)('{ fast ... @defer { slow } }');

    assert.equal(response.status, 422);
    assert.match(JSON.stringify(await response.json()), /Unknown directive \\"@defer\\"/);
  });
});

for (const [name, status, limit, query] of [
  ['maxDepth', 422, { plugins: [limits({ maxDepth: 2 })] }, '{ ... @defer { self { self { fast } } } }'],
  ['maxTokens', 400, { maxTokens: 20 }, '{ ...F @defer a: self { ...F @defer } } fragment F on Query { b: fast c: fast d: fast e: fast }'],
] as const)
  it(`limits apply to deferred fields: ${name}`, async () => {
    assert.equal((await serve(limit)(query)).status, status);
  });

describe('the schema', () => {
  it('shows @defer and @stream where introspection is allowed', async () => {
    const response = await serve({ introspection: true })('{ __schema { directives { name locations args { name defaultValue } } } }');

    const { data } = (await response.json()) as any;
    const described = data.__schema.directives.map(({ name, locations, args }: any) =>
      [`@${name}`, ...args.map((one: any) => `${one.name}: ${one.defaultValue}`), 'on', ...locations].join(' '),
    );
    assert.deepEqual(described.slice(-2).toSorted(), [
      '@defer if: true label: null on FRAGMENT_SPREAD INLINE_FRAGMENT',
      '@stream if: true label: null initialCount: 0 on FIELD',
    ]);
  });

  const invalid = [
    '{ fast @stream }',
    '{ ... @defer(label: "one") { fast } ... @defer(label: "one") { slow } }',
    'query ($label: String) { ... @defer(label: $label) { fast } }',
    'mutation { ... @defer { write { at } } }',
    'subscription { event { list @stream(if: true) } }',
    // graphql 16 has no such rule: the first field decides.
    ...(versionInfo.major < 17
      ? []
      : ['{ list @stream ... { list } }', '{ self { list @stream } ...F } fragment F on Query { self { list @stream(initialCount: 1) } }']),
  ];
  const valid = ['mutation { write { at ... @defer { late } } }', '{ self { ...F } ...F } fragment F on Query { list @stream }'];

  for (const query of invalid)
    it(`may not be used as in ${query}`, async () => {
      const response = await serve()(query, 'application/json');

      assert.deepEqual(await codesOf(response), ['GRAPHQL_VALIDATION_FAILED']);
    });

  for (const query of valid)
    it(`may be used as in ${query}`, async () => {
      const text = await (await serve()(query, 'multipart/mixed, text/event-stream')).text();

      assert.doesNotMatch(text, /VALIDATION_FAILED/);
    });
});

it('the option incrementalDelivery must not be true; the error says what to write', () => {
  assert.throws(
    () => serve({ incrementalDelivery: true as never }),
    /incrementalDelivery\(\), imported from "graphql-functions\/incremental"/,
  );
});
