import { deepEqual, equal, match, ok, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { versionInfo } from 'graphql';

import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import type { SubsequentPayload } from '../../../../src/server/operation/types.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { randomParts, resolvers as randomResolvers, typeDefs as randomTypes } from '../../../support/differential/random-parts.ts';
import { cases } from '../../../support/long-form.ts';
import { createRandom } from '../../../support/random.ts';
import { allPayloads, merge, runIncrementally } from '../../../support/run-incrementally.ts';
import type { IncrementalRun } from '../../../support/run-incrementally.ts';

const skip = versionInfo.major < 17 && 'graphql 16 answers once';
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

async function ask(query: string, settings: IncrementalRun = {}): Promise<{ payloads: SubsequentPayload[]; refused: string[] }> {
  const payloads = await allPayloads(await runIncrementally(options, query, settings));
  const errors = merge(payloads).errors as { path?: unknown[]; extensions: { code?: unknown } }[];
  return {
    payloads,
    refused: errors.filter(({ extensions }) => extensions.code === 'RESULT_TOO_LARGE').map(({ path }) => path!.join('.')),
  };
}

describe('the limit of parts', { skip }, () => {
  const counts = [
    ['fragments of each object of a list', '{ rows(first: 5) { ... @defer { id } ... @defer { b: id } } }', 10, 'rows'],
    ['a list that comes later', '{ late(first: 5) { ... @defer { id } } }', 5, 'late'],
    ['objects that come later', '{ promised(first: 5) { ... @defer { id } } }', 5, 'promised'],
    ['whatever can be iterated', '{ counted(first: 5) { ... @defer { id } } }', 5, 'counted'],
    ['an asynchronous list', '{ ticks(first: 5) { ... @defer { id } } }', 5, 'ticks'],
    ['objects that are no more than an id', '{ ids(first: 5) { ... @defer { id } } }', 5, 'ids'],
    ['a list of lists', '{ grid(first: 3) { ... @defer { id } } }', 6, 'grid'],
    ['a fragment that is spread', '{ rows(first: 5) { ...F } } fragment F on Node { ...G @defer } fragment G on Row { id }', 5, 'rows'],
    ['each place of a fragment', '{ rows(first: 5) { ...F row { ...F } } } fragment F on Row { ... @defer { id } }', 10, 'rows.4.row'],
    ['one fragment deferred twice once', '{ rows(first: 5) { ...F @defer ...F @defer } } fragment F on Row { id }', 10, 'rows'],
    ['aliases of a list', '{ a: rows(first: 5) { ... @defer { id } } b: rows(first: 5) { ... @defer { id } } }', 10, 'b'],
    ['parts of parts', '{ rows(first: 5) { ... @defer { row { ... @defer { id } } } } }', 10, 'rows.4.row'],
    ['a field that a fragment shares', '{ rows(first: 5) { id } ... @defer { rows(first: 5) { b: id } } }', 6, 'rows'],
    ['sets of fields that come together', '{ rows(first: 5) { ...@defer{a:id b:id} ...@defer{b:id c:id} } }', 15, 'rows'],
    ['the types of objects that say theirs', '{ nodes(first: 5) { ... on Row @defer { id } ... on Other { id } } }', 2, 'nodes'],
    ['five streamed items as one', '{ numbers @stream(initialCount: 1) }', 3, 'numbers'],
    ['a stream and its fragments', '{ ticks(first: 5) @stream(initialCount: 5) { ... @defer { id } } }', 6, 'ticks'],
    ['streams in a list', '{ rows(first: 5) { rows @stream { id } } }', 8, 'rows.4.rows'],
  ] as const;

  for (const [what, query, parts, refused] of counts) {
    it(`counts ${what}: ${parts} are sent, and a lower limit refuses them`, async () => {
      const enough = await ask(query, { maxParts: parts });
      const tooFew = await ask(query, { maxParts: parts - 1 });

      deepEqual(enough.refused, []);
      ok(enough.payloads.length > 1);
      deepEqual(tooFew.refused, [refused]);
    });
  }

  it('is never exceeded, whatever the operation, in both formats', async () => {
    let refusals = 0;
    for (let seed = 1; seed <= cases({ short: 40, long: 600 }); seed++) {
      const random = createRandom(seed);
      const query = randomParts(random);
      const settings = { format: random.pick(['current', 'legacy'] as const), early: random.chance(0.5), maxParts: 8 + random.below(30) };

      const payloads = await allPayloads(await runIncrementally(randomOptions, query, settings));

      const parts = partsOf(payloads);
      ok(parts <= settings.maxParts, `seed ${seed}: ${parts} of ${settings.maxParts} in ${query}`);
      if (JSON.stringify(payloads).includes('RESULT_TOO_LARGE')) refusals++;
    }
    ok(refusals > 3, `${refusals} were refused`);
  });

  it('refuses a field with too many parts, with an error; the others are answered', async () => {
    const { payloads } = await ask('{ name rows(first: 90) { ... @defer { id } } row { ... @defer { id } } }', { maxParts: 80 });

    const { data, errors } = merge(payloads);
    deepEqual(plain(data), { name: 'name', rows: null, row: { id: 0 } });
    const [{ message, locations }] = plain(errors) as [{ message: string; locations: unknown }];
    equal(
      message,
      'Expected @defer and @stream to divide an answer into at most 80 parts, got at least 90. Request fewer objects at a time, or defer the list as a whole.',
    );
    deepEqual(locations, [{ line: 1, column: 8 }]);
  });

  it('makes at most a hundred errors, not one for each of thousands of fields', async () => {
    const { payloads, refused } = await ask(
      '{ rows(first: 100) { a: row { ...F } b: row { ...F } } } fragment F on Row { ... @defer { id } }',
      {
        maxParts: 20,
      },
    );

    equal(refused.length, 100);
    const { rows: all } = merge(payloads).data as { rows: { a: unknown; b: unknown }[] };
    deepEqual([all[9]!.b, all[10]!.a, all[99]!.b], [{ id: 1 }, null, null]);
  });

  it('closes an infinite list at the item that is refused, and the process goes on', async () => {
    let isClosed = false;
    function* endless(): Generator {
      try {
        for (;;) yield { id: 1 };
      } finally {
        isClosed = true;
      }
    }
    const resolvers = { Query: { rows: endless } } as never;

    for (const query of ['{ rows(first: 1) { ... @defer { id } } }', '{ rows(first: 1) @stream { id } }']) {
      isClosed = false;
      const payloads = await allPayloads(await runIncrementally({ ...options, resolvers }, query, { maxParts: 50 }));

      match(JSON.stringify(payloads), /RESULT_TOO_LARGE/);
      equal(isClosed, true);
    }
  });
});

describe('an operation gets one complete answer', { skip }, () => {
  const fifty = Array.from({ length: 50 }, (_, at) => `... @defer { d${at}: name }`).join(' ');
  const many = Array.from({ length: 1000 }, (_, at) => `s${at}: name`).join(' ');

  for (const [what, query, settings] of [
    ['with more than fifty directives', `{ ${fifty} row { ... @defer { id } } }`, {}],
    ['with more than fifty where a fragment is written out', `{ ${fifty} row { ...F } } fragment F on Row { ... @defer { id } }`, {}],
    ['with more directives than an answer may have parts', '{ ... @defer { name } row { ... @defer { id } } }', { maxParts: 1 }],
    ['with more than a thousand selections', `{ ${many} ... @defer { name } }`, {}],
    ['where no directive is active', '{ ... @defer(if: false) { name } numbers @stream(if: false) }', {}],
    ['where no variable makes one active', 'query ($no: Boolean! = false) { ... @defer(if: $no) { name } }', {}],
    ['where the directives are left out', 'query ($no: Boolean! = false) { ... @include(if: $no) { ... @defer { name } } name }', {}],
  ] as const) {
    it(what, async () => {
      const { payloads } = await ask(query, settings);

      equal(payloads.length, 1);
      equal(payloads[0]?.errors, undefined);
    });
  }

  it('but not with fifty', async () => {
    const { payloads, refused } = await ask(`{ ${fifty} }`);

    deepEqual(refused, []);
    ok(payloads.length > 1);
  });
});

it('a limit that is not a number throws at once', () => {
  throws(() => incrementalDelivery({ maxParts: '5' as never }), {
    message: 'Expected maxParts of incrementalDelivery to be 0 or more, got "5".',
  });
});

const randomOptions: ServerOptions = { typeDefs: randomTypes, resolvers: randomResolvers as never };

/** Counts deferred fragments and streams, groups of deferred fields, and a fifth of the streamed items. */
function partsOf(payloads: readonly SubsequentPayload[]): number {
  const announced = payloads.flatMap(({ pending }) => (pending ?? []) as unknown[]).length;
  const entries = payloads.flatMap(({ incremental }) => (incremental ?? []) as { data?: unknown; items?: readonly unknown[] | null }[]);
  const items = entries.reduce((sum, entry) => sum + (entry.items?.length ?? 0), 0);
  const deferred = entries.filter(({ data }) => data !== undefined).length;
  return Math.max(announced, deferred) + Math.ceil(items / 5);
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
