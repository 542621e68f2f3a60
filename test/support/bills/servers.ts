import { GraphQLError } from 'graphql';

import { createHandler } from '../../../src/index.ts';
import type { Handler, KeyValueCache } from '../../../src/index.ts';
import { incrementalDelivery } from '../../../src/incremental.ts';
import type { Logger } from '../../../src/operation/types.ts';

/** A server whose bills are looked at: what it can be asked for, and what it has logged and stored. */
export interface BilledServer {
  readonly handler: Handler;
  /** Fields of Query that are leaves, and of rows. */
  readonly leaves: readonly string[];
  readonly rowLeaves: readonly string[];
  readonly inputFields: readonly string[];
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

const smallTypes = `
  scalar JSON
  type Query { name(text: String): String text: String config: JSON fail: String refuse: String! rows(first: Int): [Row!]! later: [Row] row(in: In): Row one: One sum(in: [In!], n: [Int!], e: E): Int }
  type Mutation { write(in: In): Row }
  type Row { id: ID! name: String missing: Int! fail: String row: Row later: Row rows(first: Int): [Row!] }
  union One = Row | Other
  type Other { id: ID! other: String row: Row }
  enum E { ONE TWO THREE }
  input In { a: Int b: String! in: In list: [In!] e: E }
`;
const resolvers = {
  Query: {
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
  Row: { fail, row: () => rows[1], later: async () => rows[2], rows: () => few },
};

/** 300 types, 100 fields in each row, inputs with 200 fields. */
function wideTypes(): string {
  const fields = Array.from({ length: 100 }, (_, at) => `field${at}: String`).join(' ');
  const inputs = Array.from({ length: 200 }, (_, at) => `in${at}: ${at % 5 === 0 ? 'Int!' : 'String'}`).join(' ');
  const types = Array.from({ length: 300 }, (_, at) => `type T${at} implements Node { id: ID! t${at}: T${(at + 1) % 300} row: Row }`).join(
    ' ',
  );
  return (
    smallTypes
      .replace('type Query {', `type Query { node: Node any: Any ${fields}`)
      .replace('type Row {', `type Row { ${fields}`)
      .replace('input In {', `input In { ${inputs}`)
      .replace('enum E {', `enum E { ${Array.from({ length: 300 }, (_, at) => `VALUE_${at}`).join(' ')}`) +
    `interface Node { id: ID! } union Any = ${Array.from({ length: 300 }, (_, at) => `T${at}`).join(' | ')} ${types}`
  );
}

/** Serves the small schema or the wide one with default options, as a stranger finds it. */
export function createBilledServer(size: 'small' | 'wide'): BilledServer {
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
  const node = { __typename: 'T0', id: 0 };
  const wide = { node: () => node, any: () => node };
  const handler = createHandler({
    nodeEnv: '',
    typeDefs: size === 'small' ? smallTypes : wideTypes(),
    resolvers: size === 'small' ? resolvers : { ...resolvers, Query: { ...resolvers.Query, ...wide } },
    logger,
    cache,
    incrementalDelivery: incrementalDelivery(),
  });
  const extra = size === 'small' ? [] : Array.from({ length: 100 }, (_, at) => `field${at}`);
  return {
    handler,
    leaves: ['name', 'text', 'config', 'fail', 'refuse', '__typename', 'nothing', ...extra],
    rowLeaves: ['id', 'name', 'missing', 'fail', '__typename', 'nothing', ...extra],
    inputFields: ['a', 'b', 'e', ...(size === 'small' ? [] : ['in0', 'in1', 'in2'])],
    takeSpent: () => {
      const spent = { logged, stored: [...entries].reduce((sum, [key, value]) => sum + key.length + value.length, 0) };
      logged = 0;
      entries.clear();
      return spent;
    },
  };
}
