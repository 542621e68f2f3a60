import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startSubscriptionServer } from './subscribed.mjs';

const COUNT = 'subscription Count($to: Int) { count(to: $to) { value square } }';
const COUNTED = [1, 2, 3].map((value) => ({ value, square: value * value }));

let server;
before(async () => {
  server = await startSubscriptionServer();
});
after(() => server.close());

/** Resolves when every opened source has ended. */
async function sourcesEnded() {
  while (server.state.ended < server.state.opened) await new Promise((resolve) => setImmediate(resolve));
}

const withoutTypename = (data) => JSON.parse(JSON.stringify(data), (key, value) => (key === '__typename' ? undefined : value));

describe('graphql-sse, distinct connections', () => {
  let createClient;
  before(async () => {
    ({ createClient } = await import('graphql-sse'));
  });
  const collect = async (client, request) => {
    const results = [];
    for await (const result of client.iterate(request)) results.push(result);
    return results;
  };

  test('gets every event of a subscription, and its end', async () => {
    const client = createClient({ url: server.url });

    const results = await collect(client, { query: COUNT, variables: { to: 3 } });

    assert.deepEqual(
      results,
      COUNTED.map((count) => ({ data: { count } })),
    );
  });

  test('gets the answers to a query and a mutation', async () => {
    const client = createClient({ url: server.url });

    assert.deepEqual(await collect(client, { query: '{ hello }' }), [{ data: { hello: 'Hello, world!' } }]);
    assert.deepEqual(await collect(client, { query: 'mutation { shout(text: "hi") }' }), [{ data: { shout: 'HI' } }]);
  });

  test('gets the errors of an invalid document as a result, and does not retry', async () => {
    const connecting = [];
    const client = createClient({ url: server.url, on: { connecting: () => connecting.push(1) } });

    const [result] = await collect(client, { query: 'subscription { nope }' });

    assert.equal(result.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    assert.equal(connecting.length, 1);
  });

  test('gets the error of a source that fails, and its end', async () => {
    const client = createClient({ url: server.url });

    const results = await collect(client, { query: 'subscription { broken }' });

    assert.deepEqual(results[0], { data: { broken: 1 } });
    assert.equal(results[1].errors[0].message, 'Internal server error');
    assert.equal(results.length, 2);
  });

  test('ends the source when it unsubscribes', async () => {
    const client = createClient({ url: server.url });

    for await (const { data } of client.iterate({ query: COUNT })) if (data.count.value === 5) break;

    await sourcesEnded();
  });
});

describe('urql', () => {
  let urql;
  before(async () => {
    urql = await import('@urql/core');
  });
  /** All results of a subscription until its end. */
  const collect = (client, document, variables) =>
    new Promise((resolve) => {
      const results = [];
      const { unsubscribe } = client.subscription(document, variables).subscribe((result) => {
        results.push(result);
        if (!result.hasNext) {
          resolve(results);
          queueMicrotask(() => unsubscribe());
        }
      });
    });

  test('subscribes with fetch', async () => {
    const client = new urql.Client({ url: server.url, exchanges: [urql.fetchExchange], fetchSubscriptions: true, preferGetMethod: false });

    const results = await collect(client, COUNT, { to: 3 });

    assert.deepEqual(
      results.flatMap(({ data }) => (data ? [data.count] : [])).filter((count, at, all) => count !== all[at - 1]),
      COUNTED,
    );
    assert.ok(results.every(({ error }) => error === undefined));
  });

  test('subscribes through graphql-sse', async () => {
    const { createClient } = await import('graphql-sse');
    const sse = createClient({ url: server.url });
    const client = new urql.Client({
      url: server.url,
      exchanges: [
        urql.subscriptionExchange({
          forwardSubscription: ({ query, variables }) => ({
            subscribe: (sink) => ({ unsubscribe: sse.subscribe({ query, variables }, sink) }),
          }),
        }),
      ],
    });
    const seen = [];

    await new Promise((resolve) => {
      const { unsubscribe } = client.subscription(COUNT, {}).subscribe(({ data }) => {
        seen.push(data.count);
        if (seen.length === 3) {
          resolve();
          queueMicrotask(() => unsubscribe());
        }
      });
    });

    assert.deepEqual(seen.slice(0, 3), COUNTED);
    await sourcesEnded();
  });
});

/** A link that passes subscriptions to graphql-sse's client, as in its recipes. */
async function sseLink({ ApolloLink, Observable, print }) {
  const { createClient } = await import('graphql-sse');
  const client = createClient({ url: server.url });
  return new ApolloLink(
    (operation) =>
      new Observable((sink) =>
        client.subscribe({ query: print(operation.query), operationName: operation.operationName, variables: operation.variables }, sink),
      ),
  );
}

describe('@apollo/client 4', () => {
  test('subscribes through a link for graphql-sse', async () => {
    const { ApolloClient, ApolloLink, gql, InMemoryCache } = await import('@apollo/client/core');
    const { Observable } = await import('rxjs');
    const { print } = await import('graphql');
    const client = new ApolloClient({ link: await sseLink({ ApolloLink, Observable, print }), cache: new InMemoryCache() });
    const seen = [];

    await new Promise((complete, error) => {
      client.subscribe({ query: gql(COUNT), variables: { to: 3 } }).subscribe({ next: ({ data }) => seen.push(data), error, complete });
    });

    assert.deepEqual(
      withoutTypename(seen),
      COUNTED.map((count) => ({ count })),
    );
  });
});

describe('relay-runtime', () => {
  test('subscribes through a network for graphql-sse', async () => {
    const { createClient } = await import('graphql-sse');
    const { Environment, Network, Observable, RecordSource, Store, requestSubscription } = (await import('relay-runtime')).default;
    const sse = createClient({ url: server.url });
    const environment = new Environment({
      network: Network.create(
        () => {
          throw new Error('no query is sent here');
        },
        (request, variables) => Observable.create((sink) => sse.subscribe({ query: request.text, variables }, sink)),
      ),
      store: new Store(new RecordSource()),
    });
    const seen = [];

    await new Promise((onCompleted, onError) => {
      requestSubscription(environment, {
        subscription: countRequest,
        variables: { to: 3 },
        onNext: (data) => seen.push(data),
        onError,
        onCompleted,
      });
    });

    assert.deepEqual(
      plain(seen),
      COUNTED.map((count) => ({ count })),
    );
  });
});

const plain = (value) => JSON.parse(JSON.stringify(value));

/** The output of relay-compiler for COUNT. */
const countFields = [
  {
    alias: null,
    args: [{ kind: 'Variable', name: 'to', variableName: 'to' }],
    concreteType: 'Count',
    kind: 'LinkedField',
    name: 'count',
    plural: false,
    selections: ['value', 'square'].map((name) => ({ alias: null, args: null, kind: 'ScalarField', name, storageKey: null })),
    storageKey: null,
  },
];
const countArguments = [{ defaultValue: null, kind: 'LocalArgument', name: 'to' }];
const countRequest = {
  kind: 'Request',
  fragment: {
    argumentDefinitions: countArguments,
    kind: 'Fragment',
    metadata: null,
    name: 'Count',
    selections: countFields,
    type: 'Subscription',
    abstractKey: null,
  },
  operation: { argumentDefinitions: countArguments, kind: 'Operation', name: 'Count', selections: countFields },
  params: { cacheID: 'count', id: null, metadata: {}, name: 'Count', operationKind: 'subscription', text: COUNT },
};
