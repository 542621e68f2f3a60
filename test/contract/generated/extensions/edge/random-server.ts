import { AsyncLocalStorage } from 'node:async_hooks';

import { GraphQLScalarType } from 'graphql';

import { cacheControlDefinitions } from '../../../../../src/entries/edge.ts';
import type { CacheHint } from '../../../../../src/entries/edge.ts';
import { batch, InMemoryLRUCache, RESTDataSource } from '../../../../../src/entries/index.ts';
import type { ContextArgument, ServerOptions, ServerPlugin } from '../../../../../src/entries/index.ts';
import type { Random } from '../../../../support/random.ts';
import { lifetimeOf } from './hint-oracle.ts';
import type { Call, FieldModel, SchemaModel, TypeHint } from './hint-oracle.ts';
import { textOf } from './random-query.ts';
import type { RandomQuery } from './random-query.ts';

const users = ['anna', 'bert', 'cora'];
const languages = ['de', 'fr'];

/** The user of a call, and the calls of resolvers that may give hints. Entered outside of the handler, so that edge cannot see reads. */
export const active = new AsyncLocalStorage<{ readonly user: string; readonly calls: Call[] }>();

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
  () => sessions.getStore() ?? '',
];

/** Runs each request in an asynchronous context with its user, as a plugin for sessions does. */
const sessions = new AsyncLocalStorage<string>();
const sessionPlugin: ServerPlugin = {
  request: (call, next) => sessions.run(call.request.headers.get('x-user') ?? '', next),
};

/** An object. Its type may change. */
interface Row {
  readonly id: string;
  type: string;
  version: number;
}

/** A server of a random schema, whose hints a second implementation of the rules knows. */
export interface RandomServer extends Partial<ServerOptions> {
  /** How many seconds the answer to a query may live, after these calls of resolvers. 0: it is private. */
  readonly lifetimeOf: (query: RandomQuery, calls: readonly Call[], defaultMaxAge: number) => number;
}

const kinds = [...Array.from({ length: 12 }, () => 'shared' as const), 'personal', 'language', 'stored', 'hidden'] as const;
type Kind = (typeof kinds)[number] | 'late';
type Field = FieldModel & {
  readonly kind: Kind;
  readonly hinting: 'never' | 'always' | 'for some' | 'batched' | 'batched for some';
  readonly given: CacheHint;
};

const typesOfNested: Readonly<Record<string, string>> = { a: 'A', node: 'Node', list: '[Node]', any: 'Any' };

/**
 * Creates a server whose hints are random: a personal field may have the scope PUBLIC. Values of hidden fields depend on the user in a way
 * that edge cannot see, so they are PRIVATE. With a deadline, some fields are too late, by the clock that `setTimeout` uses.
 */
export function randomServer(
  random: Random,
  { hasDeadline = false, documents = {} as Readonly<Record<string, string>> } = {},
): RandomServer {
  const hint = (): TypeHint =>
    random.pick<TypeHint>([{}, { maxAge: 60 }, { maxAge: 60 }, { maxAge: 40 }, { maxAge: 9, scope: 'PUBLIC' }, { scope: 'PRIVATE' }, { inherits: true }, { maxAge: 0 }]); // prettier-ignore
  const usual = (): TypeHint => (random.chance(0.85) ? random.pick<TypeHint>([{ maxAge: 60 }, { maxAge: 30 }]) : hint());
  const leafHint = (): TypeHint => (random.chance(0.9) ? {} : hint());
  const given = (): CacheHint => random.pick<CacheHint>([{ maxAge: 30, scope: 'PUBLIC' }, { maxAge: 30, scope: 'PUBLIC' }, { maxAge: 20 }, { scope: 'PRIVATE' }]); // prettier-ignore
  const hinting = (): Field['hinting'] =>
    random.chance(0.6) ? 'never' : random.pick(['always', 'for some', 'batched', 'batched for some'] as const);
  const leaf = (isRoot: boolean): Field => {
    const kind = hasDeadline && random.chance(0.02) ? 'late' : random.pick(kinds);
    const own = isRoot ? usual() : leafHint();
    if (kind === 'hidden') return { type: 'String', kind, hint: { ...own, scope: 'PRIVATE' }, hinting: 'never', given: {} };
    const how = hinting();
    // Otherwise, hardly any hint of a resolver would replace a stricter one.
    const replaced = how !== 'never' && random.chance(0.5) ? random.pick<TypeHint>([{ scope: 'PRIVATE' }, { maxAge: 5 }]) : own;
    return { type: 'String', kind, hint: replaced, hinting: how, given: given() };
  };
  const nested = (name: string): Field => ({
    type: typesOfNested[name]!,
    kind: 'shared',
    hint: usual(),
    hinting: hinting(),
    given: given(),
  });
  const fieldsOf = (isRoot: boolean): Record<string, Field> => ({
    ...Object.fromEntries(['f0', 'f1', 'f2', 'f3'].map((name) => [name, leaf(isRoot)])),
    num: { type: 'Big', kind: 'shared', hint: isRoot ? usual() : leafHint(), hinting: 'never', given: {} },
    ...Object.fromEntries((isRoot ? ['a', 'node', 'list', 'any'] : ['a', 'node']).map((name) => [name, nested(name)])),
  });
  const fields = { Query: fieldsOf(true), A: fieldsOf(false), B: fieldsOf(false), C: fieldsOf(false) };
  const model: SchemaModel = {
    fields,
    ofInterface: { f0: leafHint(), f1: leafHint(), a: leafHint() },
    types: { A: usual(), B: usual(), C: usual(), Node: random.chance(0.7) ? {} : hint(), Any: random.chance(0.7) ? {} : hint() },
  };
  const isEager = random.chance(0.1);
  const identify = random.pick(identities);
  // The tags contain a selected id. It may depend on the caller, be late, or fail.
  const idKind = random.pick([
    'property',
    'property',
    'property',
    'property',
    'property',
    'resolver',
    'personal',
    'late',
    'failing',
  ] as const);
  const storage = random.pick(storages);
  const httpFetch = async ({ headers }: Request): Promise<Response> => Response.json(`of ${headers.get('x-for')}`, { headers: storage });
  return {
    typeDefs: [cacheControlDefinitions, typeDefsOf(model)],
    resolvers: resolversOf(fields, idResolvers[idKind]!) as never,
    ...(Object.keys(documents).length > 0 && { trustedDocuments: { documents } }),
    cache: new InMemoryLRUCache(),
    dataSources: (() => ({ profiles: new Profiles(httpFetch as never) })) as never,
    deadline: hasDeadline && deadline,
    plugins: identify === identities.at(-1) ? [sessionPlugin] : [],
    context: (argument: ContextArgument): Omit<Reads, 'dataSources'> => {
      const who = (): string => identify(argument);
      const now = isEager ? who() : undefined;
      return { who: () => now ?? who(), language: () => argument.request.headers.get('accept-language') ?? '' };
    },
    lifetimeOf: (query, calls, defaultMaxAge) => lifetimeOf(model, query, calls, defaultMaxAge),
  };
}

function typeDefsOf({ fields, types, ofInterface }: SchemaModel): string {
  const directive = ({ maxAge, scope, inherits }: TypeHint = {}): string => {
    const parts = [maxAge !== undefined && `maxAge: ${maxAge}`, scope && `scope: ${scope}`, inherits && 'inheritMaxAge: true'].filter(
      Boolean,
    );
    return parts.length === 0 ? '' : `@cacheControl(${parts.join(', ')})`;
  };
  const definitions = Object.entries(fields).map(([type, all]) => {
    const own = Object.entries(all).map(([name, { type: of, hint }]) => `${name}: ${of} ${directive(hint)}`);
    return type === 'Query'
      ? `type Query { ${own.join(' ')} }`
      : `type ${type} implements Node ${directive(types[type])} { id: ID! ${own.join(' ')} }`;
  });
  return `scalar Big interface Node ${directive(types['Node'])} { id: ID! f0: String ${directive(ofInterface['f0'])} f1: String ${directive(ofInterface['f1'])} a: A ${directive(ofInterface['a'])} }
    union Any ${directive(types['Any'])} = A | B | C
    type Mutation { rename(id: ID!): Node renameA: A turn(id: ID!): Node create: A remove: A half(id: ID!): Node }
    ${definitions.join('\n')}`;
}

const rawJSON = (source: string): unknown => (JSON as unknown as { rawJSON: (source: string) => unknown }).rawJSON(source);

/** Resolvers over rows of their own. */
function resolversOf(fields: Readonly<Record<string, Readonly<Record<string, Field>>>>, ids: { readonly id?: IdResolver }): object {
  const rows: Row[] = ['A', 'A', 'B', 'C'].map((type, at) => ({ id: String(at + 1), type, version: 0 }));
  const shown = (row: Row | undefined): object | null => (row ? { ...row, __typename: row.type } : null);
  let last = rows.length;
  const rowOf = (id: string): Row => rows.find((row) => row.id === id)!;
  const nestedValue: Readonly<Record<string, (row: Row | undefined) => unknown>> = {
    a: () => shown(rows[0]),
    node: (row) => shown(rowOf(String((Number(row?.id ?? 0) % 4) + 1))),
    list: () => rows.map(shown),
    any: () => shown(rowOf('4')),
  };
  const resolverOf = (parent: string, name: string, field: Field): unknown => {
    const value = (row: Row | undefined, context: Reads): unknown => {
      if (name === 'num') return rawJSON(`9007199254740993${row?.version ?? 0}`);
      return nestedValue[name] === undefined ? valueOf(field.kind, row, context) : nestedValue[name](row);
    };
    if (field.hinting === 'never') return (row: Row | undefined, _: unknown, context: Reads) => value(row, context);
    const note = (row: Row | undefined, info: any): void => {
      const hint = field.hinting.endsWith('some') && Number(row?.id ?? 1) % 2 === 0 ? undefined : field.given;
      const keys: string[] = [];
      for (let path = info.path; path !== undefined; path = path.prev) if (typeof path.key === 'string') keys.unshift(path.key as string);
      active.getStore()?.calls.push({ parent, path: keys.join('.'), hint });
      if (hint !== undefined) info.cacheControl?.setCacheHint(hint);
    };
    if (parent === 'Query' || !field.hinting.startsWith('batched'))
      return (row: Row | undefined, _: unknown, context: Reads, info: unknown) => (note(row, info), value(row, context));
    return batch({ maxSize: field.hinting === 'batched' ? 10 : 1 }, (all: readonly Row[], _: unknown, context: Reads, info) => {
      note(all[0], info);
      return all.map((row) => value(row, context));
    });
  };
  const resolvers = Object.entries(fields).map(([type, all]) => [
    type,
    {
      ...(type === 'Query' ? {} : ids),
      ...Object.fromEntries(Object.entries(all).map(([name, field]) => [name, resolverOf(type, name, field)])),
    },
  ]);
  const changed = (row: Row): object => (row.version++, shown(row)!);
  return {
    Big: new GraphQLScalarType({ name: 'Big' }),
    ...Object.fromEntries(resolvers),
    Mutation: {
      rename: (_: unknown, { id }: { id: string }) => changed(rowOf(id)),
      renameA: () => changed(rows[0]!),
      turn: (_: unknown, { id }: { id: string }) => {
        const row = rowOf(id);
        row.type = row.type === 'A' ? 'A' : row.type === 'B' ? 'C' : 'B';
        return changed(row);
      },
      create: () => {
        const row = { id: String(++last), type: 'A', version: 0 };
        rows.push(row);
        return shown(row);
      },
      remove: () => (rows.length > 4 ? shown(rows.pop()) : null),
      half: (_: unknown, { id }: { id: string }) => {
        changed(rowOf(id));
        throw new Error('It has changed, and failed.');
      },
    },
  };
}

function valueOf(kind: Kind, row: Row | undefined, context: Reads): unknown {
  if (kind === 'language') return `in ${context.language()}`;
  if (kind === 'personal') return `of ${context.who()}`;
  if (kind === 'hidden') return `of ${active.getStore()?.user}`;
  if (kind === 'stored') return context.dataSources.profiles.me(context.who());
  const shared = `version ${row?.version ?? 0}`;
  return kind === 'late' ? new Promise((resolve) => setTimeout(resolve, late, shared)) : shared;
}

type IdResolver = (source: { id: string }, _: unknown, context: Reads) => unknown;

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

/** A request of one user. */
export interface RandomRequest {
  readonly user: string;
  readonly language: string;
  /** The number of the query. */
  readonly asked: number;
  /** The query string, sometimes with the parameter `user`. */
  readonly query: string;
  readonly headers: Record<string, string>;
}

/** Creates a request with one of the queries for one of the users. `byId`: by the ids q0, q1 and so on. */
export function randomRequest(random: Random, queries: readonly RandomQuery[], byId = false): RandomRequest {
  const [user, language, asked] = [random.pick(users), random.pick(languages), random.below(queries.length)];
  const document = byId ? `documentId=q${asked}` : `query=${encodeURIComponent(textOf(queries[asked]!))}`;
  return {
    user,
    language,
    asked,
    query: `${document}${random.chance(0.1) ? `&user=${user}` : ''}`,
    headers: { authorization: `Bearer ${user}`, cookie: `user=${user}`, 'x-user': user, 'accept-language': language },
  };
}

/** Returns the texts in an answer that belong to another user or language. */
export function leaksIn(body: string, user: string, language: string): string[] {
  return [...body.matchAll(/of [^"]*?(anna|bert|cora)|in (de|fr)/g)].flatMap(([text, who, spoken]) =>
    (who !== undefined && who !== user) || (spoken !== undefined && spoken !== language) ? text : [],
  );
}
