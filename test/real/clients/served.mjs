// What the tests of clients share: the built package on loopback, with the graphql of the repository instead of the clients', and the clients' modules.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before } from 'node:test';

import { serve } from '../../../dist/esm/node.js';

export const logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Starts a server on a free port. */
export async function startServer(options) {
  const server = await serve({ csrfPrevention: true, logger, ...options }, { port: 0, host: '127.0.0.1', signals: false });
  return { url: `${server.url}graphql`, close: () => server.close() };
}

/** A server during the tests of a file. */
export function serveDuringTests(options) {
  const server = {};
  before(async () => Object.assign(server, await startServer(options)));
  after(() => server.close());
  return server;
}

/** A listener of node:http during the tests of a file. */
export function listenDuringTests(listener) {
  const served = {};
  const server = createServer(listener);
  before(async () => {
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    served.url = `http://127.0.0.1:${server.address().port}/graphql`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return served;
}

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** The init of a request that posts JSON. */
export const json = (body, headers = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Data without `__typename`, and without the prototypes of a client. */
export const plain = (data) => JSON.parse(JSON.stringify(data), (key, value) => (key === '__typename' ? undefined : value));

/** Both majors of Apollo Client, whose exports differ only in their modules. */
export const apollos = {
  'Apollo Client 4': async () => {
    const { PersistedQueryLink } = await import('@apollo/client/link/persisted-queries');
    return {
      ...(await import('@apollo/client/core')),
      ...(await import('@apollo/client/link/batch-http')),
      ...(await import('@apollo/client/link/retry')),
      createPersistedQueryLink: (options) => new PersistedQueryLink(options),
    };
  },
  'Apollo Client 3': async () => {
    const modules = ['core/core', 'link/batch-http/batch-http', 'link/persisted-queries/persisted-queries', 'link/retry/retry'];
    const loaded = await Promise.all(modules.map((path) => import(`apollo-client-3/${path}.cjs`)));
    return Object.assign({}, ...loaded.map((module) => module.default));
  },
};

/** A client of `apollo` that does not answer from its cache. */
export const apolloOver = (apollo, link, options = {}) =>
  new apollo.ApolloClient({ link, cache: new apollo.InMemoryCache(), defaultOptions: { query: { fetchPolicy: 'no-cache', ...options } } });

const relayNode = (kind, name, more) => ({ alias: null, args: null, kind, name, storageKey: null, ...more });
export const scalar = (name) => relayNode('ScalarField', name);
export const linked = (name, concreteType, plural, selections, more) =>
  relayNode('LinkedField', name, {
    concreteType,
    plural,
    selections: selections.map((one) => (typeof one === 'string' ? scalar(one) : one)),
    ...more,
  });

/** The output of relay-compiler for a query. */
export function relayQuery(name, text, selections, variables = []) {
  const argumentDefinitions = variables.map((variable) => ({ defaultValue: null, kind: 'LocalArgument', name: variable }));
  return {
    kind: 'Request',
    fragment: { argumentDefinitions, kind: 'Fragment', metadata: null, name, selections, type: 'Query', abstractKey: null },
    operation: { argumentDefinitions, kind: 'Operation', name, selections },
    params: { cacheID: name, id: null, metadata: {}, name, operationKind: 'query', text },
  };
}
