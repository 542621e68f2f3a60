import { AsyncLocalStorage } from 'node:async_hooks';

import { cacheControlDefinitions } from '../../../src/entries/edge.ts';
import { InMemoryLRUCache, RESTDataSource } from '../../../src/entries/index.ts';
import type { ContextArgument, ServerOptions, ServerPlugin } from '../../../src/entries/index.ts';
import type { Random } from '../../support/random.ts';

const users = ['anna', 'bert', 'cora'];
const languages = ['de', 'fr'];
const active = new AsyncLocalStorage<string>();

interface Reads {
  readonly who: () => string;
  readonly language: () => string;
  readonly dataSources: { readonly profiles: Profiles };
}

/** A REST API whose responses differ for each user, and may be stored. */
class Profiles extends RESTDataSource {
  override baseURL = 'https://profiles.example/';
  override cacheIdentity = '';
  me(who: string): Promise<string> {
    return this.get('me', undefined, { headers: { 'x-for': who } });
  }
}

/** Caching headers of the API, all correct for responses that differ by `x-for`. */
const storages: readonly Record<string, string>[] = [
  { 'cache-control': 'max-age=60' },
  { 'cache-control': 'private, max-age=60' },
  { 'cache-control': 'public, max-age=60', vary: 'x-for' },
  { 'cache-control': 'max-age=0, stale-while-revalidate=60', etag: '"1"' },
  { 'cache-control': 'no-store' },
];

/** The deadline of the requests, and how late the fields are that it leaves unfinished, in milliseconds. */
export const deadline = { ms: 100, reserveMs: 50 };
const late = 80;

/** Ways to identify the user. The values of all personal fields contain the result. */
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

/** Runs each request in an asynchronous context with its user, as a plugin for sessions does. */
const sessions: ServerPlugin = {
  request: (call, next) => active.run(call.request.headers.get('x-user') ?? '', next),
};

/**
 * Creates a server whose hints are random: a personal field may have the scope PUBLIC. With a deadline, some fields are too late, by the
 * clock that `setTimeout` uses.
 */
export function randomServer(random: Random, hasDeadline = false): Partial<ServerOptions> {
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
  const kinds = ['shared', 'shared', 'shared', 'shared', 'personal', 'language', 'stored'] as const;
  const fields = Array.from({ length: 4 }, (_, index) => ({
    name: `f${index}`,
    kind: hasDeadline && random.chance(0.06) ? ('late' as const) : random.pick(kinds),
    hint: hint(),
    dynamic: random.chance(0.15),
  }));
  const leaves = fields.map((field) => `${field.name}: String ${field.hint}`).join(' ');
  // The tags contain a selected id. It may depend on the caller, be late, or fail.
  const idKind = random.pick(['property', 'property', 'property', 'resolver', 'personal', 'late', 'failing'] as const);
  const typeDefs = `type Query { ${leaves} a: A ${hint()} list: [A] ${hint()} any: Any ${hint()} }
    type A ${hint()} { id: ID! ${leaves} a: A ${hint()} } type B { id: ID! ${leaves} } union Any = A | B
    type Mutation { f0: String }`;
  const resolverOf =
    ({ kind, dynamic }: (typeof fields)[number]) =>
    (_: unknown, __: unknown, context: Reads, info: { cacheControl?: { setCacheHint: (hint: object) => void } }) => {
      if (dynamic) info.cacheControl?.setCacheHint({ maxAge: 30, scope: 'PUBLIC' });
      return valueOf(kind, context);
    };
  const storage = random.pick(storages);
  const httpFetch = async ({ headers }: Request): Promise<Response> => Response.json(`of ${headers.get('x-for')}`, { headers: storage });
  const all = Object.fromEntries(fields.map((field) => [field.name, resolverOf(field)]));
  const rows = { a: () => ({ id: 1 }), list: () => [{ id: 1 }, { id: 2 }], any: () => ({ id: 3, __typename: random.pick(['A', 'B']) }) };
  const ids = idResolvers[idKind];
  return {
    typeDefs: [cacheControlDefinitions, typeDefs],
    resolvers: { Query: { ...all, ...rows }, A: { ...all, ...ids, a: () => ({ id: 4 }) }, B: { ...all, ...ids } } as never,
    cache: new InMemoryLRUCache(),
    dataSources: (() => ({ profiles: new Profiles(httpFetch as never) })) as never,
    deadline: hasDeadline && deadline,
    plugins: identify === identities.at(-1) ? [sessions] : [],
    context: (argument: ContextArgument): Omit<Reads, 'dataSources'> => {
      const who = (): string => identify(argument);
      const now = isEager ? who() : undefined;
      return { who: () => now ?? who(), language: () => argument.request.headers.get('accept-language') ?? '' };
    },
  };
}

function valueOf(kind: 'shared' | 'personal' | 'language' | 'stored' | 'late', context: Reads): unknown {
  if (kind === 'language') return `in ${context.language()}`;
  if (kind === 'personal') return `of ${context.who()}`;
  if (kind === 'stored') return context.dataSources.profiles.me(context.who());
  return kind === 'late' ? new Promise((resolve) => setTimeout(resolve, late, 'everybody')) : 'everybody';
}

type IdResolver = (source: { id: number }, _: unknown, context: Reads) => unknown;

const fail = (): never => {
  throw new Error('No id.');
};
const idResolvers: Readonly<Record<string, { readonly id?: IdResolver }>> = {
  property: {},
  resolver: { id: ({ id }) => `n${id}` },
  personal: { id: ({ id }, _, context) => `of ${context.who()} ${id}` },
  late: { id: async ({ id }) => `n${id}` },
  failing: { id: fail },
};

export function randomQuery(random: Random): string {
  const leaf = (): string => random.pick(['f0', 'f1', 'f2', 'f3', 'x: f1', '__typename']);
  const id = (): string => (random.chance(0.3) ? 'id' : '');
  const object = (): string => `{ ${id()} ${leaf()} ${leaf()} ${random.chance(0.3) ? `a { ${id()} f0 f2 }` : ''} }`;
  const roots = [leaf, () => `a ${object()}`, () => `list ${object()}`, () => `any { __typename ... on A ${object()} ... on B { f1 f3 } }`];
  return `{ ${random.pick(roots)()} ${random.chance(0.5) ? random.pick(roots)() : ''} }`.replace(/(\b[a-z]+ \{.*\}) \1/, '$1');
}

/** A request of one user. */
export interface RandomRequest {
  readonly user: string;
  readonly language: string;
  /** The query string, sometimes with the parameter `user`. */
  readonly query: string;
  readonly headers: Record<string, string>;
}

/** Creates a request with one of the queries for one of the users. */
export function randomRequest(random: Random, queries: readonly string[]): RandomRequest {
  const [user, language, query] = [random.pick(users), random.pick(languages), random.pick(queries)];
  return {
    user,
    language,
    query: `query=${encodeURIComponent(query)}${random.chance(0.2) ? `&user=${user}` : ''}`,
    headers: { authorization: `Bearer ${user}`, cookie: `user=${user}`, 'x-user': user, 'accept-language': language },
  };
}

/** Returns the texts in an answer that belong to another user or language. */
export function leaksIn(body: string, user: string, language: string): string[] {
  return [...body.matchAll(/of [^"]*?(anna|bert|cora)|in (de|fr)/g)].flatMap(([text, who, spoken]) =>
    (who !== undefined && who !== user) || (spoken !== undefined && spoken !== language) ? text : [],
  );
}
