import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, test } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../src/edge.ts';
import type { CDN } from '../../../src/edge.ts';
import { createHandler } from '../../../src/fetch.ts';
import type { ContextArgument, ServerOptions, ServerPlugin } from '../../../src/index.ts';
import { cases } from '../../support/long-form.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { ModelCache } from './model-cache.ts';

const cdns: readonly CDN[] = ['netlify', 'cloudflare', 'cloudfront', 'vercel', 'fastly', 'varnish', 'rfc9213'];
const schemas = cases({ short: 100, long: 500 });
const requestsOfEach = 20;
const users = ['anna', 'bert', 'cora'];
const languages = ['de', 'fr'];
const active = new AsyncLocalStorage<string>();

type Handler = (request: Request, context: object) => Promise<Response>;
interface Reads {
  readonly who: () => string;
  readonly language: () => string;
}

/** Where a server finds out who asks. What it finds is in the answers of all personal fields. */
const identities: readonly ((argument: ContextArgument) => string)[] = [
  ({ request }) => request.headers.get('authorization') ?? '',
  ({ request }) => request.headers.get('cookie') ?? '',
  ({ request }) => request.headers.get('X-User') ?? '',
  ({ request }) => new Map(request.headers).get('authorization') ?? '',
  ({ request }) => request.headers.toRecord()['cookie'] ?? '',
  ({ event }) => (event as Request).headers.get('authorization') ?? '',
  ({ context }) => (context as { user: string }).user,
  ({ request }) => new URLSearchParams(request.queryString).get('user') ?? '',
  () => active.getStore() ?? '',
];

/** Enters the asynchronous context of whoever asks, as a plugin for sessions does. */
const sessions: ServerPlugin = {
  aroundRequest: (call, next) => active.run(call.request.headers.get('x-user') ?? '', next),
};

/** A schema whose hints are as likely wrong as right: a personal field may well say PUBLIC. */
function randomServer(random: Random): Partial<ServerOptions> {
  const hint = (): string =>
    random.pick([
      '',
      '',
      '@cacheControl(maxAge: 60)',
      '@cacheControl(maxAge: 60)',
      '@cacheControl(maxAge: 9, scope: PUBLIC)',
      '@cacheControl(scope: PRIVATE)',
      '@cacheControl(inheritMaxAge: true)',
    ]);
  const isEager = random.chance(0.3);
  const identify = random.pick(identities);
  const kinds = ['shared', 'shared', 'personal', 'language'] as const;
  const fields = Array.from({ length: 4 }, (_, index) => ({
    name: `f${index}`,
    kind: random.pick(kinds),
    hint: hint(),
    dynamic: random.chance(0.15),
  }));
  const leaves = fields.map((field) => `${field.name}: String ${field.hint}`).join(' ');
  const typeDefs = `type Query { ${leaves} a: A ${hint()} list: [A] ${hint()} any: Any ${hint()} }
    type A ${hint()} { ${leaves} a: A ${hint()} } type B { ${leaves} } union Any = A | B
    type Mutation { f0: String }`;
  const resolverOf =
    ({ kind, dynamic }: (typeof fields)[number]) =>
    (_: unknown, __: unknown, context: Reads, info: { cacheControl: { setCacheHint: (hint: object) => void } }) => {
      if (dynamic) info.cacheControl.setCacheHint({ maxAge: 30, scope: 'PUBLIC' });
      return kind === 'shared' ? 'everybody' : kind === 'personal' ? `of ${context.who()}` : `in ${context.language()}`;
    };
  const all = Object.fromEntries(fields.map((field) => [field.name, resolverOf(field)]));
  const rows = { a: () => ({}), list: () => [{}, {}], any: () => ({ __typename: random.pick(['A', 'B']) }) };
  return {
    typeDefs: [cacheControlDefinitions, typeDefs],
    resolvers: { Query: { ...all, ...rows }, A: { ...all, a: () => ({}) }, B: all } as never,
    plugins: identify === identities.at(-1) ? [sessions] : [],
    context: (argument: ContextArgument): Reads => {
      const who = (): string => identify(argument);
      const now = isEager ? who() : undefined;
      return { who: () => now ?? who(), language: () => argument.request.headers.get('accept-language') ?? '' };
    },
  };
}

function randomQuery(random: Random): string {
  const leaf = (): string => random.pick(['f0', 'f1', 'f2', 'f3', 'x: f1', '__typename']);
  const object = (): string => `{ ${leaf()} ${leaf()} ${random.chance(0.3) ? 'a { f0 f2 }' : ''} }`;
  const roots = [leaf, () => `a ${object()}`, () => `list ${object()}`, () => `any { __typename ... on A ${object()} ... on B { f1 f3 } }`];
  return `{ ${random.pick(roots)()} ${random.chance(0.5) ? random.pick(roots)() : ''} }`.replace(/(\b[a-z]+ \{.*\}) \1/, '$1');
}

/** The text of a foreign user, or in a foreign language, in an answer. */
function leaksIn(body: string, user: string, language: string): string[] {
  return [...body.matchAll(/of [^"]*?(anna|bert|cora)|in (de|fr)/g)].flatMap(([text, who, spoken]) =>
    (who !== undefined && who !== user) || (spoken !== undefined && spoken !== language) ? text : [],
  );
}

describe('two users behind one cache', () => {
  test(`in ${schemas * requestsOfEach} requests to random schemas with random hints nothing of one user reaches another`, async () => {
    const random = createRandom(15);
    const leaks: unknown[] = [];
    let hits = 0;
    let personal = 0;
    for (let schema = 0; schema < schemas; schema++) {
      const cdn = random.pick(cdns);
      const server = randomServer(random);
      const [logger] = recordingLogger();
      const plugins = [...(server.plugins ?? []), edge({ cdn, varyHeaders: ['accept-language'], defaultMaxAge: random.pick([0, 20, 20]) })];
      const handler = createHandler({ ...server, logger, plugins, nodeEnv: 'production' } as ServerOptions) as unknown as Handler;
      const cache = new ModelCache(cdn, ['accept-language']);
      const queries = [randomQuery(random), randomQuery(random)];
      for (let at = 0; at < requestsOfEach; at++) {
        const [user, language, query] = [random.pick(users), random.pick(languages), random.pick(queries)];
        const url = `https://${random.pick(['a', 'b'])}.example/graphql?query=${encodeURIComponent(query)}${random.chance(0.2) ? `&user=${user}` : ''}`;
        const headers = { authorization: `Bearer ${user}`, cookie: `user=${user}`, 'x-user': user, 'accept-language': language };
        const response = await cache.fetch(new Request(url, { headers }), (request) =>
          handler(request, { user, waitUntil: () => undefined }),
        );
        const body = await response.text();
        if (/of [^"]/.test(body)) personal++;
        leaks.push(...leaksIn(body, user, language).map((text) => ({ cdn, query, text, user, schema: String(server.typeDefs) })));
        cache.time += random.below(10);
      }
      hits += cache.hits;
    }

    assert.deepEqual(leaks.slice(0, 3), []);
    // The proof would be empty if nothing were ever kept, or nothing personal ever asked for.
    assert.ok(hits > schemas * 0.6, `${hits} hits`);
    assert.ok(personal > schemas * 2, `${personal} personal answers`);
  });
});
