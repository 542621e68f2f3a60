import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { incrementalDelivery } from '../../../dist/esm/incremental.js';
import { apollos, json, linked, plain, relayQuery, scalar, serveDuringTests } from './served.mjs';

const BOOK = 'query Book { book { id title ... @defer(label: "Book$defer$Late") { review } } }';
const BOOKS = 'query Books { books @stream(initialCount: 1, label: "Books$stream$books") { id title } }';
const TITLES = ['Middlemarch', 'Emma', 'Persuasion'];

/** The Accept header of each request. */
let accepts = [];
/** Slow fields wait for the gate. */
let gate;
let open;
const server = serveDuringTests({
  incrementalDelivery: incrementalDelivery(),
  typeDefs: 'type Query { book: Book books: [Book!]! } type Book { id: ID! title: String! review: String broken: String }',
  context: ({ request }) => ({ calls: accepts.push(request.headers.get('accept')) }),
  resolvers: {
    Query: {
      book: () => ({ id: '1', title: 'Middlemarch' }),
      async *books() {
        yield { id: '1', title: 'Middlemarch' };
        await gate;
        yield { id: '2', title: 'Emma' };
        yield { id: '3', title: 'Persuasion' };
      },
    },
    Book: {
      review: () => gate.then(() => 'Long, and worth it'),
      broken: async () => {
        await gate;
        throw new Error('the database password is hunter2');
      },
    },
  },
});
beforeEach(() => {
  accepts = [];
  ({ promise: gate, resolve: open } = Promise.withResolvers());
});

/** Executes a query; `step` gets each of its results. */
const apollo = (load, loadOptions, isDone) => async (query, step) => {
  const { ApolloClient, HttpLink, InMemoryCache, gql } = await load();
  const client = new ApolloClient({ link: new HttpLink({ uri: server.url }), cache: new InMemoryCache(), ...(await loadOptions()) });
  await new Promise((resolve, reject) => {
    const subscription = client.watchQuery({ query: gql(query), errorPolicy: 'all' }).subscribe({
      next: (result) => {
        if (result.data !== undefined) step(result);
        if (!isDone(result)) return;
        resolve();
        queueMicrotask(() => subscription.unsubscribe());
      },
      error: reject,
    });
  });
};

const apollo4 = (handler) =>
  apollo(
    apollos['Apollo Client 4'],
    async () => ({ incrementalHandler: new (await import('@apollo/client/incremental'))[handler]() }),
    ({ loading }) => !loading,
  );

const apollo3 = apollo(
  apollos['Apollo Client 3'],
  async () => ({}),
  ({ data, errors }) => 'review' in data.book || errors !== undefined,
);

const urql = (headers) => async (query, step) => {
  const { Client, fetchExchange } = await import('@urql/core');
  const client = new Client({ url: server.url, exchanges: [fetchExchange], preferGetMethod: false, fetchOptions: { headers } });
  await new Promise((resolve) => {
    const { unsubscribe } = client.query(query, {}).subscribe((result) => {
      step(result);
      if (result.hasNext) return;
      resolve();
      queueMicrotask(() => unsubscribe());
    });
  });
};

async function executor(query, step) {
  const { buildHTTPExecutor } = await import('@graphql-tools/executor-http');
  const { parse } = await import('graphql');
  for await (const result of await buildHTTPExecutor({ endpoint: server.url })({ document: parse(query) })) step(result);
}

/** Relay leaves the network to its users. This is the network of meros's documentation. */
async function fetchParts({ text }, sink) {
  const { meros } = await import('meros/browser');
  const response = await fetch(server.url, json({ query: text }, { accept: 'multipart/mixed, application/json' }));
  for await (const { body: part } of await meros(response)) {
    const extensions = { is_final: !part.hasNext };
    if (part.data !== undefined) sink.next({ data: part.data, extensions });
    for (const { items, data, path, label } of part.incremental ?? []) {
      const results = items === undefined ? [[path, data]] : items.map((item, at) => [[...path.slice(0, -1), path.at(-1) + at], item]);
      for (const [place, value] of results) sink.next({ label, path: place, data: value, extensions });
    }
  }
  sink.complete();
}

const late = { kind: 'Defer', if: null, label: 'Book$defer$Late', metadata: null, selections: [scalar('review')] };
const books = linked('books', 'Book', true, ['id', 'title']);
const stream = { kind: 'Stream', if: null, label: 'Books$stream$books', metadata: null, selections: [books] };
const artifacts = {
  [BOOK]: relayQuery('Book', BOOK, [linked('book', 'Book', false, ['id', 'title', late])]),
  [BOOKS]: relayQuery('Books', BOOKS, [stream]),
};

async function relay(query, step) {
  const { createOperationDescriptor, Environment, Network, Observable, RecordSource, Store } = (await import('relay-runtime')).default;
  const environment = new Environment({
    network: Network.create((request) => Observable.create((sink) => void fetchParts(request, sink).catch(sink.error))),
    store: new Store(new RecordSource()),
  });
  const operation = createOperationDescriptor(artifacts[query], {});
  await new Promise((complete, error) => {
    const next = () => step({ data: environment.lookup(operation.fragment).data });
    environment.execute({ operation }).subscribe({ next, error, complete });
  });
}

/** Each client with the beginning of the Accept header that it sends. */
for (const [name, accept, execute, { streams = true } = {}] of [
  ['Apollo Client 4 with GraphQL17Alpha9Handler', 'multipart/mixed;incrementalSpec=v0.2,', apollo4('GraphQL17Alpha9Handler')],
  ['Apollo Client 4 with Defer20220824Handler', 'multipart/mixed;deferSpec=20220824,', apollo4('Defer20220824Handler')],
  ['Apollo Client 3', 'multipart/mixed;deferSpec=20220824,', apollo3, { streams: false }],
  ['urql', '', urql({})],
  ['urql by multipart/mixed', 'multipart/mixed, ', urql({ accept: 'multipart/mixed, application/json' })],
  // With graphql 17's payloads urql 6 puts the items beside the list.
  [
    'urql by multipart/mixed in graphql 17 payloads',
    'multipart/mixed;incrementalSpec=v0.2',
    urql({ accept: 'multipart/mixed;incrementalSpec=v0.2, application/json' }),
    { streams: false },
  ],
  ['@graphql-tools/executor-http', '', executor],
  ['Relay with meros', 'multipart/mixed', relay],
])
  describe(name, () => {
    /** The data and errors of each step. The gate opens at the first one. */
    const stepsOf = async (query) => {
      const steps = [];
      await execute(query, ({ data, error, errors }) => {
        steps.push({ data: plain(data), errors: `${error} ${JSON.stringify(errors)}` });
        open();
      });
      return steps;
    };

    test('gets deferred data in a second step', async () => {
      const steps = await stepsOf(BOOK);

      assert.deepEqual([steps[0].data.book.title, steps[0].data.book.review], ['Middlemarch', undefined]);
      assert.equal(steps.at(-1).data.book.review, 'Long, and worth it');
      assert.ok(accepts[0].startsWith(accept), accepts[0]);
    });

    if (streams)
      test('gets the items of a list as they arrive', async () => {
        const steps = await stepsOf(BOOKS);

        const titles = [steps[0], steps.at(-1)].map(({ data }) => data.books.filter(Boolean).map(({ title }) => title));
        assert.deepEqual(titles, [TITLES.slice(0, 1), TITLES]);
      });

    if (execute !== relay)
      test('gets an error of a deferred field, without the message of the resolver', async () => {
        const steps = await stepsOf('query Broken { book { id ... @defer { broken } } }');

        assert.match(steps.at(-1).errors, /Internal server error/);
        assert.doesNotMatch(JSON.stringify(steps), /hunter2/);
      });
  });
