import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { startDeferringServer } from './deferred.mjs';

const BOOK = 'query Book { book { id title ...Late @defer(label: "late") } } fragment Late on Book { review }';
const BROKEN = 'query Broken { book { id ... @defer { broken } } }';
const BOOKS = 'query Books { books @stream(initialCount: 1, label: "more") { id title } }';
const TITLES = ['Middlemarch', 'Emma', 'Persuasion'];

let server;
before(async () => {
  server = await startDeferringServer();
});
beforeEach(() => {
  server.shut();
  server.accepts.length = 0;
});
after(() => server.close());

const titlesOf = (data) => data?.books?.filter(Boolean).map(({ title }) => title) ?? [];

function apolloSuite(name, accept, load) {
  describe(name, () => {
    let apollo;
    before(async () => {
      apollo = await load();
    });
    /** Every result that has data. The gate opens when the first one arrives. */
    const watch = (query) => {
      const client = new apollo.ApolloClient({
        link: new apollo.HttpLink({ uri: server.url }),
        cache: new apollo.InMemoryCache(),
        ...apollo.clientOptions,
      });
      const seen = [];
      return new Promise((resolve, reject) => {
        const subscription = client.watchQuery({ query: apollo.gql(query), errorPolicy: 'all' }).subscribe({
          next: (result) => {
            if (result.data === undefined) return;
            seen.push(structuredClone(JSON.parse(JSON.stringify(result))));
            server.open();
            if (apollo.isDone(result, query)) {
              resolve(seen);
              queueMicrotask(() => subscription.unsubscribe());
            }
          },
          error: reject,
        });
      });
    };

    test(`sends Accept: ${accept}`, async () => {
      server.open();
      await watch(BOOK);

      assert.ok(server.accepts[0].startsWith(`${accept},`), server.accepts[0]);
    });

    test('gets deferred data in a second step', async () => {
      const seen = await watch(BOOK);

      assert.equal(seen[0].data.book.title, 'Middlemarch');
      assert.equal(seen[0].data.book.review, undefined);
      assert.equal(seen.at(-1).data.book.review, 'Long, and worth it');
    });

    test('gets an error of a deferred field, without the message of the resolver', async () => {
      const seen = await watch(BROKEN);

      assert.match(JSON.stringify(seen.at(-1)), /Internal server error/);
      assert.equal(JSON.stringify(seen).includes('hunter2'), false);
    });

    if (!name.includes(' 3')) {
      test('gets the items of a list as they arrive', async () => {
        const seen = await watch(BOOKS);

        assert.deepEqual(titlesOf(seen[0].data), TITLES.slice(0, 1));
        assert.deepEqual(titlesOf(seen.at(-1).data), TITLES);
      });
    }
  });
}

apolloSuite('@apollo/client 4, GraphQL17Alpha9Handler', 'multipart/mixed;incrementalSpec=v0.2', async () => {
  const { GraphQL17Alpha9Handler } = await import('@apollo/client/incremental');
  const core = await import('@apollo/client/core');
  return {
    ...core,
    clientOptions: { incrementalHandler: new GraphQL17Alpha9Handler() },
    isDone: ({ loading }) => !loading,
  };
});

apolloSuite('@apollo/client 4, Defer20220824Handler', 'multipart/mixed;deferSpec=20220824', async () => {
  const { Defer20220824Handler } = await import('@apollo/client/incremental');
  const core = await import('@apollo/client/core');
  return {
    ...core,
    clientOptions: { incrementalHandler: new Defer20220824Handler() },
    isDone: ({ loading }) => !loading,
  };
});

apolloSuite('@apollo/client 3', 'multipart/mixed;deferSpec=20220824', async () => {
  const { default: core } = await import('apollo-client-3/core/core.cjs');
  return { ...core, clientOptions: {}, isDone: ({ data, errors }) => 'review' in data.book || errors !== undefined };
});

for (const [how, headers, type] of [
  ['by the Accept that it sends', {}, 'text/event-stream'],
  ['by multipart/mixed', { accept: 'multipart/mixed, application/json' }, 'multipart/mixed'],
  ['by multipart/mixed in graphql 17 payloads', { accept: 'multipart/mixed;incrementalSpec=v0.2, application/json' }, 'multipart/mixed'],
]) {
  describe(`urql, ${how}`, () => {
    let urql;
    before(async () => {
      urql = await import('@urql/core');
    });
    const types = [];
    const watch = (query) => {
      const client = new urql.Client({
        url: server.url,
        exchanges: [urql.fetchExchange],
        preferGetMethod: false,
        fetchOptions: { headers },
        fetch: async (...call) => {
          const response = await fetch(...call);
          types.push(response.headers.get('content-type'));
          return response;
        },
      });
      const seen = [];
      return new Promise((resolve) => {
        const { unsubscribe } = client.query(query, {}).subscribe((result) => {
          seen.push(result);
          server.open();
          if (!result.hasNext) {
            resolve(seen);
            queueMicrotask(() => unsubscribe());
          }
        });
      });
    };

    test('gets deferred data in a second step', async () => {
      const seen = await watch(BOOK);

      assert.ok(types.at(-1).startsWith(type), types.at(-1));
      assert.equal(seen[0].data.book.title, 'Middlemarch');
      assert.equal(seen[0].data.book.review, undefined);
      assert.equal(seen.at(-1).data.book.review, 'Long, and worth it');
    });

    // With graphql 17's payloads urql 6 puts the items beside the list.
    if (!how.includes('graphql 17')) {
      test('gets the items of a list as they arrive', async () => {
        const seen = await watch(BOOKS);

        assert.deepEqual(titlesOf(seen[0].data), TITLES.slice(0, 1));
        assert.deepEqual(titlesOf(seen.at(-1).data), TITLES);
      });
    }
  });
}

test('@graphql-tools/executor-http gets deferred data, and the items of a list', async () => {
  const { buildHTTPExecutor } = await import('@graphql-tools/executor-http');
  const { parse } = await import('graphql');
  const execute = buildHTTPExecutor({ endpoint: server.url });
  for (const [query, check] of [
    [BOOK, (data) => assert.equal(data.book.review, 'Long, and worth it')],
    [BOOKS, (data) => assert.deepEqual(titlesOf(data), TITLES)],
  ]) {
    server.shut();
    let steps = 0;
    let last;
    for await (const result of await execute({ document: parse(query) })) {
      steps += 1;
      last = result;
      server.open();
    }
    assert.ok(steps > 1);
    check(last.data);
  }
});

describe('relay-runtime, with meros', () => {
  /** Relay leaves the network to its users. This is the network of meros's documentation. */
  async function fetchParts({ text }, sink) {
    const { meros } = await import('meros/browser');
    const body = JSON.stringify({ query: text });
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'multipart/mixed, application/json' },
      body,
    });
    for await (const { body: part } of await meros(response)) {
      if (part.data !== undefined) sink.next({ data: part.data, extensions: { is_final: !part.hasNext } });
      for (const { items, data, path, label } of part.incremental ?? []) {
        const results = items === undefined ? [[path, data]] : items.map((item, at) => [[...path.slice(0, -1), path.at(-1) + at], item]);
        for (const [place, value] of results) sink.next({ label, path: place, data: value, extensions: { is_final: !part.hasNext } });
      }
    }
    sink.complete();
  }

  async function watch(artifact) {
    const relay = (await import('relay-runtime')).default;
    const environment = new relay.Environment({
      network: relay.Network.create((request) => relay.Observable.create((sink) => void fetchParts(request, sink).catch(sink.error))),
      store: new relay.Store(new relay.RecordSource()),
    });
    const operation = relay.createOperationDescriptor(artifact, {});
    const seen = [];
    const read = () => JSON.parse(JSON.stringify(environment.lookup(operation.fragment).data));
    await new Promise((complete, error) => {
      environment.execute({ operation }).subscribe({
        next: () => {
          seen.push(read());
          server.open();
        },
        error,
        complete,
      });
    });
    return seen;
  }

  test('gets deferred data in a second step', async () => {
    const seen = await watch(request('Book', [linked('book', false, [scalar('id'), scalar('title'), late])], RELAY_BOOK));

    assert.deepEqual(seen[0].book, { id: '1', title: 'Middlemarch' });
    assert.deepEqual(seen.at(-1).book, { id: '1', title: 'Middlemarch', review: 'Long, and worth it' });
  });

  test('gets the items of a list as they arrive', async () => {
    const books = linked('books', true, [scalar('id'), scalar('title')]);
    const stream = { kind: 'Stream', if: null, label: 'Books$stream$books', metadata: null, selections: [books] };

    const seen = await watch(request('Books', [stream], RELAY_BOOKS));

    assert.deepEqual(titlesOf(seen[0]), TITLES.slice(0, 1));
    assert.deepEqual(titlesOf(seen.at(-1)), TITLES);
  });
});

// The output of relay-compiler for these documents, written by hand.
const RELAY_BOOK = 'query Book { book { id title ... @defer(label: "Book$defer$Late") { review } } }';
const RELAY_BOOKS = 'query Books { books @stream(initialCount: 1, label: "Books$stream$books") { id title } }';

function scalar(name) {
  return { alias: null, args: null, kind: 'ScalarField', name, storageKey: null };
}

function linked(name, plural, selections) {
  return { alias: null, args: null, concreteType: 'Book', kind: 'LinkedField', name, plural, selections, storageKey: null };
}

const late = { kind: 'Defer', if: null, label: 'Book$defer$Late', metadata: null, selections: [scalar('review')] };

function request(name, selections, text) {
  return {
    kind: 'Request',
    fragment: { argumentDefinitions: [], kind: 'Fragment', metadata: null, name, selections, type: 'Query', abstractKey: null },
    operation: { argumentDefinitions: [], kind: 'Operation', name, selections },
    params: { cacheID: name, id: null, metadata: {}, name, operationKind: 'query', text },
  };
}
