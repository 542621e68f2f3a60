import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { buildSchema, getNamedType, isAbstractType, isLeafType, isObjectType, Kind, parse } from 'graphql';
import type { GraphQLNamedType, OperationDefinitionNode } from 'graphql';

import { executePlanned } from '../../../../src/executor/execute.ts';
import { createBell } from '../../../support/bell.ts';
import { executionOf } from '../../../support/differential/both-executors.ts';
import { createRandom } from '../../../support/random.ts';
import { RejectingValues } from '../../../support/rejecting-values.ts';
import { assertAllHandled, unhandledRejections } from '../../../support/unhandled-rejections.ts';

const schema = buildSchema(`
  interface Node { id: Int!  next: Node }
  type Item implements Node { id: Int!  next: Node  numbers: [Int!]!  items: [Item!]  strict: Item! }
  type Other implements Node { id: Int!  next: Node  grid: [[Int!]!]  union: [Either!] }
  union Either = Item | Other
  type Query { item: Item!  items: [Item!]!  nodes: [Node!]  grid: [[Int!]!]!  either: [[Either]!]  number: Int! }
`);
const document = parse(queryOf(schema.getQueryType()!, 3));
const operation = document.definitions.find(
  (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
)!;

const rounds = Number(process.env['REJECTION_ROUNDS'] ?? 300);

// An unhandled rejection ends a Node process and all of its requests.
it('whatever resolvers return, and whenever the deadline passes, no rejection goes unhandled', async () => {
  await assertAllHandled(rounds, runOnce);
});

describe('a list that is not read to its end', () => {
  const typeDefs = 'type Query { strict: [Int!] grid: [[Int!]] }';
  const rejecting = (): Promise<unknown>[] => [1, 2].map(async () => (await turn(), fail()));
  /** A generator over promises that were made together. */
  const generator = function* (items: readonly unknown[]): Generator {
    yield* items;
  };
  /** Its second `next` throws. */
  const fails = (items: readonly unknown[]): Iterator<unknown> => {
    const iterator = items.values();
    let calls = 0;
    return { next: () => (++calls === 2 ? fail() : iterator.next()) };
  };

  for (const [source, make] of [
    ['the values of a Map', () => new Map([null, ...rejecting()].entries()).values()],
    ['an iterator of an array', () => [null, ...rejecting()].values()],
    ['a generator', () => generator([null, ...rejecting()])],
    ['a generator, after promises', () => generator([...rejecting(), null, ...rejecting()])],
    ['an iterator whose next() throws once', () => ({ [Symbol.iterator]: () => fails(rejecting()) })],
  ] as const)
    it(`leaves no promise of ${source} unhandled, as with graphql 17`, async () => {
      const unhandled = await unhandledRejections(async () => {
        const rootValue = { strict: make(), grid: [make(), make()] };
        const { data } = await executePlanned(executionOf({ typeDefs, text: '{ strict grid }', rootValue }));
        deepEqual({ ...data }, { strict: null, grid: [null, null] });
        for (let turns = 0; turns < 3; turns++) await turn();
      });

      equal(unhandled, 0);
    });

  it('is read for promises up to a limit, and closed', async () => {
    let read = 0;
    let closed = 0;
    const endless = function* (): Generator {
      try {
        for (;;) yield read++ === 0 ? null : read;
      } finally {
        closed++;
      }
    };

    await executePlanned(executionOf({ typeDefs, text: '{ strict }', rootValue: { strict: endless() } }));

    equal(closed, 1);
    equal(read, 75_001);
  });
});

describe('a value that is read later or never', () => {
  const typeDefs = `
    interface Node { id: ID! }
    type Item implements Node { id: ID!  bad: ID!  ids: [ID!]  others: [ID!] }
    type Query { nodes: [Node]  items: [Item]  item: Item  strict: [Item!] }
  `;

  for (const [when, text] of [
    ['while its type is awaited', '{ nodes { id } }'],
    ['when a field fails', '{ items { id bad } }'],
  ] as const)
    it(`is not searched for promises below its own properties ${when}`, async () => {
      let searched = 0;
      const graph = Array.from({ length: 20_000 }, () => new Proxy({}, { ownKeys: () => (searched++, []) }));
      const rows = Array.from({ length: 100 }, (_, id) => ({ __typename: 'Item', id, graph }));
      const functions = { Node: { resolveType: async () => 'Item' } };

      const { data } = await executePlanned(executionOf({ typeDefs, functions, text, rootValue: { nodes: rows, items: rows } }));

      equal(Object.values(data!).flat().length, 100);
      equal(searched, 0);
    });

  it('keeps its generators when a field beside them fails', async () => {
    const [ids, others] = [[1, 2].values(), [1, 2].values()];

    const { data } = await executePlanned(executionOf({ typeDefs, text: '{ item { bad ids } }', rootValue: { item: { ids, others } } }));

    deepEqual({ ...data }, { item: null });
    deepEqual([...ids, ...others], [1, 2, 1, 2]);
  });

  it('starts no query that is a thenable', async () => {
    let started = 0;
    // oxlint-disable-next-line unicorn/no-thenable -- the test needs a thenable
    const query = { then: (onValue: (value: null) => void) => (started++, onValue(null)) };

    await executePlanned(executionOf({ typeDefs, text: '{ strict { id } }', rootValue: { strict: [null, query, query] } }));

    equal(started, 0);
  });
});

async function runOnce(seed: number): Promise<void> {
  const random = createRandom(seed);
  const ringsAfter = random.below(6);
  const bell = createBell();
  const isTypeLate = random.chance(0.3);
  // No executor can look into a waiting generator: its promises may reject before they are read.
  const values = new RejectingValues(random, schema, isTypeLate ? 'none' : 'all');
  const rootValue = values.object(schema.getQueryType()!, 3);
  const resolveType = isTypeLate ? async (value: { __typename: string }) => (await turn(), value.__typename) : undefined;
  for (const type of Object.values(schema.getTypeMap())) if (isAbstractType(type)) Object.assign(type, { resolveType });
  const rowsBeforeCode = random.chance(0.5) ? 0 : Infinity;
  const settings = { contextValue: {}, variableValues: {}, hideSuggestions: true, rowsBeforeCode };
  const answer = executePlanned({ schema, document, operation, rootValue, ...settings, invocation: bell.invocation });
  for (let turns = 0; turns < 12; turns++) {
    if (turns === ringsAfter) bell.ring();
    await turn();
  }
  await answer;
}

function fail(): never {
  throw new Error('rejects');
}

/** Selects every field down to this depth. */
function queryOf(type: GraphQLNamedType, depth: number): string {
  if (isAbstractType(type))
    return `{ __typename ${schema
      .getPossibleTypes(type)
      .map((possible) => `... on ${possible.name} ${queryOf(possible, depth)}`)
      .join(' ')} }`;
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  const asked = fields.map((field) => {
    const named = getNamedType(field.type);
    if (isLeafType(named)) return field.name;
    return depth === 0 ? '' : `${field.name} ${queryOf(named, depth - 1)}`;
  });
  return `{ __typename ${asked.join(' ')} }`;
}
