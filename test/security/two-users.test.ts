import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DataSource } from '../../src/entries/datasource.ts';
import { InMemoryLRUCache } from '../../src/entries/cache.ts';
import { cacheControlDefinitions, edge } from '../../src/entries/edge.ts';
import { incrementalDelivery } from '../../src/entries/incremental.ts';
import type { ServerPlugin } from '../../src/server/operation/plugin.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { cases } from '../support/long-form.ts';
import { newUsers, sendTogether } from '../support/many-users.ts';
import { plainRequest } from '../support/plain-http.ts';
import type { PlainRequest } from '../support/plain-http.ts';
import { createRandom } from '../support/random.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { frontDoors } from '../support/sources.ts';

type Random = ReturnType<typeof createRandom>;

const users = newUsers(2);
const rounds = cases({ short: 2, long: 24 });

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Knows the user for whom it was created. */
class Session extends DataSource<{ user: string }> {
  who = async (): Promise<string> => (await turns(this.context.user.length % 3), this.context.user);
}

/** Additional options: `edge` allows caching of every cacheable response. */
type Extra = 'nothing else' | 'data sources' | 'edge';
const extras: readonly Extra[] = ['nothing else', 'data sources', 'edge'];

/** A server whose code ignores that there are several users: one context object for all, hooks and resolvers that write wherever they can. */
function carelessServer(name: string, extra: Extra): ServerOptions {
  const withDataSources = extra === 'data sources';
  const shared: Record<string, unknown> = { user: undefined, seen: undefined };
  const plugin: ServerPlugin<any> = {
    requestDidStart: async ({ contextValue, request, response }) => {
      // Writes the user to the object that all operations share.
      contextValue.user ??= request.http?.headers.get('x-user') ?? 'nobody';
      contextValue.seen = `${String(contextValue.seen ?? '')}${contextValue.user}`;
      request.http?.headers.set('x-seen-by-plugin', contextValue.user);
      await turns(1);
      return {
        willSendResponse: () => response.http.headers.set('x-answer-for', contextValue.user),
      };
    },
  };
  return {
    nodeEnv: '',
    logger: recordingLogger()[0],
    incrementalDelivery: incrementalDelivery(),
    context: async ({ request, response, event }: any) => {
      await turns(1);
      response.headers.set('x-user', request.headers.get('x-user') ?? 'nobody');
      if (typeof event === 'object' && Object.isExtensible(event)) event.lastUser = request.headers.get('x-user');
      return shared;
    },
    ...(withDataSources && { dataSources: () => ({ session: new Session() }) }),
    plugins: extra === 'edge' ? [edge({ store: new InMemoryLRUCache(), deploy: '1', defaultMaxAge: 600 }), plugin] : [plugin],
    typeDefs: `
      ${extra === 'edge' ? cacheControlDefinitions : ''}
      type Query { me: String! session: String! seen: String echo(text: String): String fail: String! later: Later }
      type Mutation { remember(text: String!): String! }
      type Later { me: String! }
      # two users: ${name} ${extra}`,
    resolvers: {
      Query: {
        me: async (_parent: unknown, _arguments: unknown, { user }: any) => (await turns(user.length % 4), user),
        session: (_parent: unknown, _arguments: unknown, { dataSources }: any) => dataSources?.session.who() ?? 'none',
        seen: (_parent: unknown, _arguments: unknown, { seen }: any) => seen,
        echo: (_parent: unknown, { text }: any) => text,
        fail: (_parent: unknown, _arguments: unknown, { user }: any) => {
          throw new Error(`the password of ${user}`);
        },
        later: () => ({}),
      },
      Mutation: { remember: (_parent: unknown, { text }: any, context: any) => (context.seen = text) },
      Later: { me: async (_parent: unknown, _arguments: unknown, { user }: any) => (await turns(2), user) },
    },
  } as ServerOptions;
}

const queries = [
  '{ me session seen }',
  'query ($text: String) { me echo(text: $text) seen }',
  '{ me fail }',
  '{ me unknown }',
  '{ me ',
  'mutation ($text: String!) { remember(text: $text) }',
  '{ seen later { ... @defer { me } } }',
  'subscription { me }',
  '{ __typename }',
];
const accepts = [
  'application/json',
  '*/*',
  'text/event-stream',
  'multipart/mixed, application/json',
  'multipart text/event-stream',
  'image/png',
];

function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.below(list.length)]!;
}

/** A request of one user: any method, form and mistake. The user's name is in a header, and in the variables. */
function requestOf(random: Random, user: string): PlainRequest {
  const operation = (): object => {
    const persisted = random.below(5) === 0 && { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } };
    return { query: pick(random, queries), variables: { text: user }, ...persisted };
  };
  const headers: [string, string][] = [
    ['x-user', user],
    ['accept', pick(random, accepts)],
    ['vendor-require-preflight', '1'],
  ];
  if (random.below(3) === 0) {
    const { query, variables } = operation() as { query: string; variables: object };
    return plainRequest({ query: new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString(), headers });
  }
  const body = random.below(3) === 0 ? Array.from({ length: 1 + random.below(4) }, operation) : operation();
  const type = random.below(10) === 0 ? 'text/plain' : 'application/json';
  return plainRequest({
    method: pick(random, ['POST', 'POST', 'QUERY']),
    body: JSON.stringify(body),
    headers: [...headers, ['content-type', type]],
  });
}

for (const [door, extra] of frontDoors.flatMap((each) => extras.map((one) => [each, one] as const))) {
  test(`no data of one user is in a response to another, and no cache can store one: ${door.name}, ${extra}`, async () => {
    const random = createRandom(11);
    const open = door.open(carelessServer(door.name, extra));
    try {
      for (let round = 0; round < rounds; round++) {
        const sent = Array.from({ length: 8 }, () => pick(random, users)).map((user) => ({ user, request: requestOf(random, user) }));

        const { answers, mixed } = await sendTogether(sent, (request) => open.send(request));

        assert.deepEqual(mixed, []);
        for (const answer of answers) {
          const all = JSON.stringify([answer.body, [...answer.headers], answer.setCookies]);
          assert.ok(!all.includes('the password'), all);
          assert.match(answer.headers.get('cache-control') ?? '', /no-store/, all);
        }
      }
    } finally {
      await open.close();
    }
  });
}
