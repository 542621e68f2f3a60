import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import { makeExecutableSchema } from '@graphql-tools/schema';
import { getIntrospectionQuery, GraphQLScalarType, isAbstractType, validateSchema } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { costLine } from '../../../src/entries/cost-line.ts';
import { cacheControlDefinitions, edge } from '../../../src/entries/edge.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';
import { idempotency, idempotencyDefinitions, memoryStore } from '../../../src/entries/idempotency.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { batch, createHandler } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/entries/index.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import { ApolloServerBase } from '../../../src/entries/v3/core.ts';
import { webRequest } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { before } from '../../support/stages.ts';

const incrementalDirectives = `
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean! = true, label: String, initialCount: Int! = 0) on FIELD`;

const typeDefs = `
  scalar Day
  enum Kind { BOOK GAME }
  input Filter { kind: Kind = BOOK days: [Day!] = ["monday"] }
  interface Named { name: String }
  union Thing = Book | Author
  type Book implements Named @cacheControl(maxAge: 60) { id: ID! name: String author: Author info: String day: Day things: [Thing] }
  type Author implements Named { id: ID! name(upper: Boolean = false): String }
  type Query { books(filter: Filter = { kind: GAME }): [Book!] @cacheControl(maxAge: 60) named: [Named] thing(of: String): Thing }
  type Mutation { rename(id: ID!, name: String = "Emma"): Book }
  type Subscription { ticks(to: Int = 2): Int }`;

const books = Array.from({ length: 600 }, (_, id) => ({ id, name: `B${id}`, day: 'monday' }));
const author = { __typename: 'Author', id: 1, name: 'Jane' };
const resolvers = {
  Day: new GraphQLScalarType({ name: 'Day' }),
  Query: {
    books: async () => books,
    named: () => [{ __typename: 'Book', name: 'Emma' }, author],
    thing(_: unknown, __: unknown, ___: unknown, info: { fieldName: string; cacheControl?: { setCacheHint: (hint: object) => void } }) {
      info.cacheControl?.setCacheHint({ maxAge: 5 });
      return author;
    },
  },
  Mutation: { rename: (_: unknown, { id, name }: { id: string; name: string }) => ({ id, name }) },
  Subscription: {
    ticks: {
      subscribe: (_: unknown, { to }: { to: number }) => Readable.from(Array.from({ length: to }, (__, at) => ({ ticks: at + 1 }))),
    },
  },
  Thing: { __resolveType: ({ __typename = 'Book' }: { __typename?: string }) => __typename },
  Author: { __isTypeOf: () => true },
  Book: {
    author: batch((parents: readonly unknown[]) => parents.map(() => author)),
    info: (_: unknown, __: unknown, ___: unknown, { fieldName }: { fieldName: string }) => fieldName,
    things: () => [author, books[0]],
  },
};

const operations = [
  '{ books { id name info day author { name(upper: true) } } __typename }',
  'query ($filter: Filter) { books(filter: $filter) { things { __typename ... on Named { name } } } }',
  '{ named { name ... on Book { id } } thing(of: "x") { ... on Author { id ...A } } } fragment A on Author { name }',
  '{ thing { ... on Author @defer { name } } named @stream(initialCount: 1) { name } }',
  'mutation { rename(id: 1) { id name } }',
  'subscription { ticks }',
  '{ books(filter: { kind: NONE }) { id } }',
  getIntrospectionQuery(),
];

/** graphqlJSExecutor() refuses schemas that define the directives of parts. */
function makeSchema(hasParts: boolean): GraphQLSchema {
  const directives = hasParts ? incrementalDirectives : '';
  return makeExecutableSchema({ typeDefs: [cacheControlDefinitions, idempotencyDefinitions, directives, typeDefs], resolvers });
}

/** All reachable objects, with the members of each. */
function snapshotOf(root: object): ReadonlyMap<object, ReadonlyMap<unknown, unknown>> {
  const snapshot = new Map<object, ReadonlyMap<unknown, unknown>>();
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') continue;
    if (snapshot.has(value) || value === globalThis) continue;
    const members = new Map<unknown, unknown>();
    for (const key of Reflect.ownKeys(value)) {
      const { value: member, get, set } = Object.getOwnPropertyDescriptor(value, key)!;
      members.set(key, member ?? get ?? set);
    }
    if (value instanceof Map) for (const [key, member] of value as Map<unknown, unknown>) members.set(key, member);
    if (value instanceof Set) for (const member of value as Set<unknown>) members.set(member, member);
    members.set('its prototype', Object.getPrototypeOf(value));
    snapshot.set(value, members);
    pending.push(...members.keys(), ...members.values());
  }
  return snapshot;
}

/** Describes the differences between two snapshots. */
function changesBetween(before: ReturnType<typeof snapshotOf>, after: ReturnType<typeof snapshotOf>): string[] {
  const changes: string[] = [];
  for (const [object, members] of before) {
    const now = after.get(object);
    for (const key of new Set([...members.keys(), ...(now?.keys() ?? [])]))
      if (!Object.is(members.get(key), now?.get(key)) && !isMemo(key, members.get(key)))
        changes.push(`${Object.prototype.toString.call(object)}.${String(key)}`);
  }
  return changes;
}

/** graphql-js caches some results in members like `_memoizedCoercedDefaultValue`, which are undefined at first. */
function isMemo(key: unknown, before: unknown): boolean {
  return typeof key === 'string' && key.startsWith('_') && before === undefined;
}

/** Makes graphql-js cache its results in the schema before the snapshot. */
function warmUp(schema: GraphQLSchema): void {
  assert.deepEqual(validateSchema(schema), []);
  for (const type of Object.values(schema.getTypeMap())) {
    if ('getFields' in type) type.getFields();
    if (isAbstractType(type)) schema.isSubType(type, schema.getQueryType()!);
  }
}

type Ask = (query: string, headers: Readonly<Record<string, string>>) => Promise<unknown>;

function asking(options: Partial<ServerOptions>): (schema: GraphQLSchema) => Ask {
  return (schema) => {
    const all = { nodeEnv: 'production', introspection: true, schema, logger: recordingLogger()[0], ...options };
    const handler = createHandler(all as ServerOptions);
    return async (query, headers) => (await handler(webRequest(post({ query }, { headers: Object.entries(headers) })))).text();
  };
}

const observer = { info: (info: object) => void Object.assign(info, { x: 1 }), field: (_: unknown, resolve: () => unknown) => resolve() };
const once = idempotency({ store: memoryStore({ isOnlyProcess: true }), identity: () => 'everyone' });
const surfaces: Readonly<Record<string, (schema: GraphQLSchema) => Ask>> = {
  'no plugin': asking({}),
  edge: asking({ plugins: [edge({ cdn: 'netlify', salt: 's' })] }),
  'openTelemetry and costLine': asking({ plugins: [openTelemetry(), costLine({ write: () => {} })] }),
  idempotency: asking({ plugins: [once] }),
  incrementalDelivery: asking({ incrementalDelivery: incrementalDelivery() } as object),
  'explain, in development': asking({ nodeEnv: 'development' }),
  'an observer': asking({ plugins: [{ execution: before(() => ({ observer })) }] } as object),
  graphqlJSExecutor: asking({ executor: graphqlJSExecutor() }),
  'version 3': (schema) => {
    const server = new ApolloServerBase({ schema, logger: recordingLogger()[0] } as never);
    return async (query) => server.executeOperation({ query });
  },
};

for (const [name, serve] of Object.entries(surfaces))
  test(`a schema that is passed with ${name} is the same after all requests`, async () => {
    const schema = makeSchema(name !== 'graphqlJSExecutor');
    warmUp(schema);
    const roots = { schema, resolvers };
    const before = snapshotOf(roots);

    const ask = serve(schema);
    const all = { accept: 'multipart/mixed, text/event-stream', 'graphql-functions-explain': '1', 'idempotency-key': '"the-key"' };
    for (const headers of [{}, all]) for (const query of [...operations, ...operations]) await ask(query, headers);
    assert.match(JSON.stringify(await ask('{ thing { ... on Author { name } } }', {})), /Jane/);

    const after = snapshotOf(roots);
    assert.deepEqual(changesBetween(before, after), []);
  });
