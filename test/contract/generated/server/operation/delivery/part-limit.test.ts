import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { SubsequentPayload } from '../../../../../../src/server/operation/types.ts';
import type { ServerOptions } from '../../../../../../src/server/startup/options.ts';
import { allPayloads, merge, runIncrementally } from '../../../../../support/run-incrementally.ts';
import type { IncrementalRun } from '../../../../../support/run-incrementally.ts';

const rows = Array.from({ length: 100 }, (_, id) => ({ id }));
const options: ServerOptions = {
  typeDefs: /* GraphQL */ `
    interface Node {
      id: Int
    }
    type Query {
      rows(first: Int!): [Row!]
      late(first: Int!): [Row]
      promised(first: Int!): [Row]
      counted(first: Int!): [Row]
      ticks(first: Int!): [Row]
      ids(first: Int!): [Row]
      grid(first: Int!): [[Row]]
      nodes(first: Int!): [Node]
      untyped(first: Int!): [Node]
      numbers: [Int]
      row: Row!
      name: String
    }
    type Row implements Node {
      id: Int
      row: Row
      rows: [Row]
    }
    type Other implements Node {
      id: Int
    }
  `,
  resolvers: {
    Query: {
      rows: (_: unknown, { first }: First) => rows.slice(0, first),
      late: async (_: unknown, { first }: First) => rows.slice(0, first),
      promised: (_: unknown, { first }: First) => rows.slice(0, first).map((row) => Promise.resolve(row)),
      counted: (_: unknown, { first }: First) => new Set(rows.slice(0, first)),
      ticks: async function* ticks(_: unknown, { first }: First) {
        yield* rows.slice(0, first);
      },
      ids: (_: unknown, { first }: First) => ['a', 'b', 'c', 'd', 'e', null].slice(0, first),
      grid: (_: unknown, { first }: First) => [rows.slice(0, first), null, rows.slice(0, first)],
      nodes: (_: unknown, { first }: First) => rows.slice(0, first).map((row) => ({ ...row, __typename: row.id < 2 ? 'Row' : 'Other' })),
      untyped: (_: unknown, { first }: First) => rows.slice(0, first),
      numbers: () => [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      row: () => rows[0],
      name: () => 'name',
    },
    Row: { row: () => rows[1], rows: () => rows.slice(0, 3) },
    Node: { __resolveType: ({ __typename }: { __typename?: string }) => __typename ?? 'Other' },
  } as never,
};

interface First {
  readonly first: number;
}

async function ask(query: string, settings: IncrementalRun = {}): Promise<SubsequentPayload[]> {
  return allPayloads(await runIncrementally(options, query, settings));
}

describe('the limit of parts', () => {
  const counts = [
    ['fragments of each object of a list', '{ rows(first: 5) { ... @defer { id } ... @defer { b: id } } }', 10],
    ['a list that comes later', '{ late(first: 5) { ... @defer { id } } }', 5],
    ['objects that come later', '{ promised(first: 5) { ... @defer { id } } }', 5],
    ['values of any iterable', '{ counted(first: 5) { ... @defer { id } } }', 5],
    ['an asynchronous list', '{ ticks(first: 5) { ... @defer { id } } }', 5],
    ['objects with only an id', '{ ids(first: 5) { ... @defer { id } } }', 5],
    ['a list of lists', '{ grid(first: 3) { ... @defer { id } } }', 6],
    ['a fragment that is spread', '{ rows(first: 5) { ...F } } fragment F on Node { ...G @defer } fragment G on Row { id }', 5],
    ['each place of a fragment', '{ rows(first: 5) { ...F row { ...F } } } fragment F on Row { ... @defer { id } }', 10],
    ['one fragment deferred twice once', '{ rows(first: 5) { ...F @defer ...F @defer } } fragment F on Row { id }', 10],
    ['aliases of a list', '{ a: rows(first: 5) { ... @defer { id } } b: rows(first: 5) { ... @defer { id } } }', 10],
    ['parts of parts', '{ rows(first: 5) { ... @defer { row { ... @defer { id } } } } }', 10],
    ['a field that a fragment shares', '{ rows(first: 5) { id } ... @defer { rows(first: 5) { b: id } } }', 6],
    ['sets of fields that come together', '{ rows(first: 5) { ...@defer{a:id b:id} ...@defer{b:id c:id} } }', 15],
    ['types of objects with __typename', '{ nodes(first: 5) { ... on Row @defer { id } ... on Other { id } } }', 2],
    ['a stream as one, whatever its items', '{ numbers @stream(initialCount: 1) row { rows @stream { id } } }', 2],
    ['a stream and its fragments', '{ ticks(first: 5) @stream(initialCount: 5) { ... @defer { id } } }', 6],
    ['streams in a list', '{ rows(first: 5) { rows @stream { id } } }', 5],
  ] as const;

  for (const [what, query, parts] of counts) {
    it(`counts ${what}: with a limit of ${parts} all are divided, with a lower one the last is complete`, async () => {
      const whole = await ask(query, { format: 'whole' });
      const enough = await ask(query, { maxParts: parts });
      const tooFew = await ask(query, { maxParts: parts - 1 });

      deepEqual(plain(merge(enough)), { errors: [], ...(plain(whole[0]) as object) });
      deepEqual(plain(merge(tooFew)), { errors: [], ...(plain(whole[0]) as object) });
      equal(partsOf(enough) > partsOf(tooFew), true);
    });
  }

  it('leaves an infinite list to the limit of its size, which closes it', async () => {
    let isClosed = false;
    function* endless(): Generator {
      try {
        for (;;) yield { id: 1 };
      } finally {
        isClosed = true;
      }
    }
    const resolvers = { Query: { rows: endless } } as never;

    const { result } = await runIncrementally({ ...options, resolvers }, '{ rows(first: 1) @stream { id } }', { maxBytes: 1_000_000 });

    equal(result.errors?.[0]?.extensions?.['code'], 'RESULT_TOO_LARGE');
    equal(isClosed, true);
  });
});

describe('an operation gets one complete answer', () => {
  const fifty = Array.from({ length: 50 }, (_, at) => `... @defer { d${at}: name }`).join(' ');

  for (const [what, query, settings] of [
    ['with more directives at its root than an answer may have parts', `{ ${fifty} }`, { maxParts: 49 }],
    ['where no directive is active', '{ ... @defer(if: false) { name } numbers @stream(if: false) }', {}],
    ['where no variable activates a directive', 'query ($no: Boolean! = false) { ... @defer(if: $no) { name } }', {}],
    ['where the directives are left out', 'query ($no: Boolean! = false) { ... @include(if: $no) { ... @defer { name } } name }', {}],
  ] as const) {
    it(what, async () => {
      const payloads = await ask(query, settings);

      equal(payloads.length, 1);
      equal(payloads[0]?.errors, undefined);
    });
  }

  it('whose expanded fragments have more fields than a document', async () => {
    const spreads = Array.from({ length: 600 }, () => '...F @defer').join(' ');
    const fields = Array.from({ length: 600 }, (_, at) => `f${at}: name`).join(' ');

    const payloads = await ask(`{ ${spreads} } fragment F on Query { ${fields} }`);

    equal(payloads.length, 1);
    equal(Object.keys(payloads[0]!.data!).length, 600);
  });

  it('but not with fifty', async () => {
    const payloads = await ask(`{ ${fifty} }`);

    equal(announcedIn(payloads), 50);
  });
});

/** Counts deferred fragments and streams, or groups of deferred fields. */
function partsOf(payloads: readonly SubsequentPayload[]): number {
  const entries = payloads.flatMap(({ incremental }) => (incremental ?? []) as { data?: unknown }[]);
  return Math.max(announcedIn(payloads), entries.filter(({ data }) => data !== undefined).length);
}

function announcedIn(payloads: readonly SubsequentPayload[]): number {
  return payloads.flatMap(({ pending }) => (pending ?? []) as unknown[]).length;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
