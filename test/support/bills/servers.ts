import { GraphQLError, GraphQLScalarType } from 'graphql';

import { cacheControlDefinitions, edge } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/index.ts';
import type { Handler, KeyValueCache } from '../../../src/entries/index.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import type { Logger } from '../../../src/server/operation/types.ts';
import { ApolloServer } from '../../../src/entries/v3.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';
import type { Maker } from './documents.ts';
import { createShop } from './shop.ts';

/** A server whose costs are measured: its schema and document shapes, and what it logged and stored. */
export interface BilledServer {
  readonly handler: Pick<Handler, never> & { readonly fetch?: Handler['fetch'] };
  /** True if answers to GET may be shared between clients. */
  readonly keepsReads: boolean;
  /** Leaf fields of Query, and fields of its rows. */
  readonly leaves: readonly string[];
  readonly rowLeaves: readonly string[];
  readonly inputFields: readonly string[];
  /** Shapes of documents for its schema. Undefined: the shapes in documents.ts, for the schema that the other servers share. */
  readonly makers?: Readonly<Record<string, Maker>>;
  /** Characters logged, and characters in the shared store, since this was last called. */
  takeSpent(): { readonly logged: number; readonly stored: number };
}

const words = 'x'.repeat(10_000);
/** 10 KB of data. */
const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `Row ${id}` }));
const few = rows.slice(0, 2);
const fail = (): never => {
  throw new Error('The database is gone.');
};
const refuse = (): never => {
  throw new GraphQLError('Not for you.', { extensions: { code: 'FORBIDDEN', hint: 'h'.repeat(200) } });
};

/** Fields of an input type that have defaults. */
const filled = Array.from({ length: 30 }, (_, at) => `d${at}: ${at % 3 === 0 ? '[Int!] = [1, 2]' : 'String = "d"'}`).join(' ');

/** One shared rejected promise, because creating a rejection is the resolver's cost. */
const refusal = Promise.reject(new GraphQLError('Not for you.'));
void Promise.allSettled([refusal]);

const smallTypes = `
  scalar JSON
  scalar Date
  directive @mark(text: String) repeatable on QUERY | FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT | FRAGMENT_DEFINITION | VARIABLE_DEFINITION
  interface Named { id: ID! name: String }
  type Query { named: Named dated(at: Date, list: [Date!]): String grid(in: [[[Int!]]!]): Int json(value: JSON): String name(text: String): String text: String config: JSON fail: String refuse: String! rows(first: Int): [Row!]! later: [Row] row(in: In): Row one: One sum(in: [In!], n: [Int!], e: E, filled: [Filled!]): Int }
  type Mutation { write(in: In): Row }
  type Subscription { ticks(count: Int): Row }
  type Row implements Named { id: ID! name: String missing: Int! fail: String refused: String filled(in: [Filled!] = [{}], at: Date): Int row: Row later: Row rows(first: Int): [Row!] }
  union One = Row | Other
  type Other implements Named { id: ID! name: String other: String row: Row }
  enum E { ONE TWO THREE }
  input In { a: Int b: String! in: In list: [In!] e: E }
  input Filled { n: Int! = 1 more: [Filled!] ${filled} }
`;
/** A scalar that rejects values with an ordinary error, as most custom scalars do, or with a GraphQLError. */
const date = new GraphQLScalarType({
  name: 'Date',
  parseValue(value) {
    if (value === 'not for you') throw new GraphQLError(`Expected a date, got ${String(value)}`);
    if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) throw new TypeError(`Expected a date, got ${String(value)}`);
    return value;
  },
});
async function* ticks(): AsyncGenerator<unknown> {
  for (const ticks of few) yield { ticks };
}
/** Has graphql 17's function for literals, into which variables are copied. */
const same = (value: unknown): unknown => value;
const json = new GraphQLScalarType({
  name: 'JSON',
  coerceInputValue: same,
  coerceInputLiteral: () => null,
  parseValue: same,
  parseLiteral: () => null,
} as never);
const resolvers = {
  Date: date,
  JSON: json,
  Subscription: { ticks: { subscribe: ticks } },
  Query: {
    named: () => ({ __typename: 'Row', ...rows[0] }),
    dated: () => 'then',
    grid: () => 1,
    json: () => 'j',
    name: (_: unknown, { text }: { text?: string }) => (text === undefined ? 'n' : text.slice(0, 10_000)),
    text: () => words,
    config: () => ({ words }),
    fail,
    refuse,
    rows: () => rows,
    later: async () => rows,
    row: () => rows[0],
    one: () => ({ __typename: 'Row', ...rows[0] }),
    sum: () => 1,
  },
  Mutation: { write: () => rows[0] },
  Row: {
    fail,
    refused: () => refusal,
    filled: (_: unknown, values: { in?: unknown }) => Number(values.in !== undefined),
    row: () => rows[1],
    later: async () => rows[2],
    rows: () => few,
  },
};

/** A schema with 300 types, 100 fields in each row, and inputs with 200 fields. */
function wideTypes(): string {
  const fields = Array.from({ length: 100 }, (_, at) => `field${at}: String`).join(' ');
  const inputs = Array.from({ length: 200 }, (_, at) => `in${at}: ${at % 5 === 0 ? 'Int!' : 'String'}`).join(' ');
  const types = Array.from({ length: 300 }, (_, at) => `type T${at} implements Node { id: ID! t${at}: T${(at + 1) % 300} row: Row }`).join(
    ' ',
  );
  return (
    smallTypes
      .replace('type Query {', `type Query { node: Node nodes: [Node!] any: Any ${fields}`)
      .replace('type Row implements Named {', `type Row implements Named { ${fields}`)
      .replace('input In {', `input In { ${inputs}`)
      .replace('enum E {', `enum E { ${Array.from({ length: 300 }, (_, at) => `VALUE_${at}`).join(' ')}`) +
    `interface Node { id: ID! row: Row } union Any = ${Array.from({ length: 300 }, (_, at) => `T${at}`).join(' | ')} ${types}`
  );
}

/**
 * A schema and how it is served: small, wide, with the schema open to introspection, by graphql-js, with answers for a CDN, or
 * by the surface of version 3. The shop has another schema, and is served plainly, with all extensions at once, and in version 3's form.
 */
export const serverKinds = ['small', 'wide', 'open', 'graphql-js', 'edge', 'v3', 'shop', 'shop-equipped', 'shop-v3'] as const;
export type ServerKind = (typeof serverKinds)[number];

/** Serves with default options, as a new user does. */
export function createBilledServer(size: ServerKind): BilledServer {
  let logged = 0;
  const log = (message: string, ...details: unknown[]): void => {
    logged += message.length;
    for (const detail of details) logged += (detail instanceof Error ? (detail.stack ?? '') : (JSON.stringify(detail) ?? '')).length;
  };
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const entries = new Map<string, string>();
  const cache: KeyValueCache = {
    get: async (key) => entries.get(key),
    set: async (key, value) => void entries.set(key, value),
    delete: async (key) => entries.delete(key),
  };
  const takeSpent = (): { logged: number; stored: number } => {
    const spent = { logged, stored: [...entries].reduce((sum, [key, value]) => sum + key.length + value.length, 0) };
    logged = 0;
    entries.clear();
    return spent;
  };
  if (size === 'shop' || size === 'shop-equipped' || size === 'shop-v3') return { ...createShop(size, { logger, cache }), takeSpent };
  const isWide = size === 'wide' || size === 'open';
  const node = { __typename: 'T0', id: 0 };
  const nodes = Array.from({ length: 40 }, (_, at) => ({ __typename: `T${at}`, id: at, row: rows[0] }));
  const wide = { node: () => node, nodes: () => nodes, any: () => node };
  const options = {
    typeDefs: isWide ? wideTypes() : smallTypes,
    resolvers: isWide ? { ...resolvers, Query: { ...resolvers.Query, ...wide } } : resolvers,
    logger,
    cache,
  };
  const handler = size === 'v3' ? serveAsVersion3(options) : serve(size, options);
  const extra = isWide ? Array.from({ length: 100 }, (_, at) => `field${at}`) : [];
  return {
    handler,
    keepsReads: size === 'edge',
    leaves: ['name', 'text', 'config', 'fail', 'refuse', '__typename', 'nothing', ...extra],
    rowLeaves: ['id', 'name', 'missing', 'fail', 'refused', 'filled', '__typename', 'nothing', ...extra],
    inputFields: ['a', 'b', 'e', ...(isWide ? ['in0', 'in1', 'in2'] : [])],
    takeSpent,
  };
}

interface Options {
  readonly typeDefs: string;
  readonly resolvers: typeof resolvers;
  readonly logger: Logger;
  readonly cache: KeyValueCache;
}

function serve(size: ServerKind, options: Options): Handler {
  return createHandler({
    nodeEnv: '',
    ...options,
    ...(size !== 'graphql-js' && { incrementalDelivery: incrementalDelivery() }),
    ...(size === 'open' && { introspection: true }),
    ...(size === 'graphql-js' && { executor: graphqlJSExecutor() }),
    ...(size === 'edge' && {
      typeDefs: [
        cacheControlDefinitions,
        options.typeDefs.replace('type Row implements Named', 'type Row implements Named @cacheControl(maxAge: 60)'),
      ],
      plugins: [edge({ cdn: 'fastly', defaultMaxAge: 60 })],
    }),
  });
}

/** The schema without the subscription, which version 3 did not support. */
function serveAsVersion3({ typeDefs, resolvers: all, logger, cache }: Options): BilledServer['handler'] {
  const { Subscription: _none, ...others } = all;
  const withoutSubscription = typeDefs.replace(/type Subscription .*/, '');
  return new ApolloServer({
    nodeEnv: 'production',
    typeDefs: withoutSubscription,
    resolvers: others,
    logger,
    cache,
  } as object).createHandler();
}
