import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { GraphQLError } from 'graphql';

import { budget } from '../../../../src/entries/budget.ts';
import { costLine } from '../../../../src/entries/cost-line.ts';
import { idempotency, memoryStore as keyStore } from '../../../../src/entries/idempotency.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { limits } from '../../../../src/entries/limits.ts';
import { openTelemetry } from '../../../../src/entries/opentelemetry.ts';
import { rest } from '../../../../src/entries/rest.ts';
import { stillStore } from '../../../support/budget-shop.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const documents = {
  books: 'query Books($first: Int) @http(method: GET, route: "/books") { books(first: $first) { id } }',
  put: 'mutation Put($id: ID!, $title: String) @http(method: PUT, route: "/books/{id}") { put(id: $id, title: $title) { id } }',
  remove: 'mutation Remove($id: ID!) @http(method: DELETE, route: "/books/{id}") { remove(id: $id) }',
  half: 'mutation Half @http(method: POST, route: "/half") { done: remove(id: 1) failed: fail }',
};

type Send = (method: string, path: string, headers?: Record<string, string>, body?: unknown) => Promise<Response>;

function serve(plugins: readonly unknown[], more: object = {}): { readonly send: Send; readonly runs: string[] } {
  const runs: string[] = [];
  const handler = createHandler({
    nodeEnv: 'test',
    logger: recordingLogger()[0],
    typeDefs: `
      type Query { books(first: Int): [Book] }
      type Mutation { put(id: ID!, title: String): Book remove(id: ID!): Boolean fail: Int }
      type Book { id: ID! }`,
    resolvers: {
      Query: { books: () => [{ id: '1' }] },
      Mutation: {
        put: (_: unknown, { id }: { id: string }) => (runs.push(`put ${id}`), { id }),
        remove: (_: unknown, { id }: { id: string }) => runs.push(`remove ${id}`) > 0,
        fail: () => {
          throw new GraphQLError('No.', { extensions: { code: 'CONFLICT' } });
        },
      },
    },
    trustedDocuments: { documents },
    plugins: [...plugins, rest()],
    ...more,
  } as never) as unknown as (request: Request, context: object) => Promise<Response>;
  const send: Send = async (method, path, headers = {}, body) =>
    handler(
      new Request(`https://shop.example${path}`, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      { waitUntil: () => undefined },
    );
  return { send, runs };
}

const problemOf = async (response: Response): Promise<any> => {
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  return response.json();
};

test('with idempotency(), PUT and DELETE run once for a key, and other doors replay them in their form', async () => {
  const { send, runs } = serve([idempotency({ store: keyStore(), identity: () => 'anna' })]);
  const key = { 'idempotency-key': '"a-key-of-a-client-1"' };

  const first = await send('PUT', '/rest/books/7', key, { title: 'x' });
  const second = await send('PUT', '/rest/books/7', key, { title: 'x' });
  const other = await send('POST', '/graphql', key, { documentId: 'put', variables: { id: '7', title: 'x' } });
  const changed = await send('PUT', '/rest/books/7', key, { title: 'y' });
  await send('DELETE', '/rest/books/8', { 'idempotency-key': '"a-key-of-a-client-2"' });
  await send('DELETE', '/rest/books/8', { 'idempotency-key': '"a-key-of-a-client-2"' });

  assert.deepEqual(runs, ['put 7', 'remove 8']);
  assert.deepEqual([await first.json(), await second.json()], [{ id: '7' }, { id: '7' }]);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual((await other.json()) as unknown, { data: { put: { id: '7' } } });
  assert.deepEqual([changed.status, (await problemOf(changed)).status], [422, 422]);
});

test('a replayed outcome with errors has the status of the first', async () => {
  const { send, runs } = serve([idempotency({ store: keyStore(), identity: () => 'anna' })]);
  const key = { 'idempotency-key': '"a-key-of-a-client-3"' };
  const first = await send('POST', '/rest/half', key, {});
  const second = await send('POST', '/rest/half', key, {});

  assert.deepEqual([first.status, second.status, runs.length], [409, 409, 1]);
  assert.deepEqual(await problemOf(first), await problemOf(second));
});

test('limits() refuses a page that is too large, and budget() a client without points, as problems', async () => {
  const { send } = serve([limits({ pageLimits: { default: 20, max: 100, fields: { 'Query.books': { max: 100 } } } })]);
  const tooLarge = await send('GET', '/rest/books?first=101');
  const problem = await problemOf(tooLarge);
  assert.deepEqual([tooLarge.status, problem.status], [422, 422]);
  assert.match(problem.detail, /101/);

  const poor = serve([limits({}), budget({ store: stillStore().store, identity: () => 'anna', capacity: 5, refillPerSecond: 1 })]);
  let refused = await poor.send('GET', '/rest/books?first=1');
  assert.equal(refused.status, 200);
  for (let at = 0; at < 5; at++) refused = await poor.send('GET', '/rest/books?first=1');
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('retry-after')!, /^\d+$/);
  assert.equal((await problemOf(refused)).title, 'Too Many Requests');
});

test('openTelemetry() names the span by method and route', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const { send } = serve([openTelemetry({ tracerProvider: provider })]);
  await send('GET', '/rest/books');

  assert.deepEqual(
    exporter.getFinishedSpans().map(({ name }) => name),
    ['GET /books'],
  );
});

test('costLine() names the door and the route', async () => {
  const lines: string[] = [];
  const { send } = serve([costLine({ write: (line) => void lines.push(line) })]);
  await send('PUT', '/rest/books/7', {}, {});

  const { operation, door, route, status } = JSON.parse(lines[0]!) as Record<string, unknown>;
  assert.deepEqual([operation, door, route, status], ['Put', 'rest', '/books/{id}', 200]);
});
