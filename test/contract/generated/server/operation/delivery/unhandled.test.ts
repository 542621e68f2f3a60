import { equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildSchema, getNamedType, getNullableType, isAbstractType, isLeafType, isObjectType } from 'graphql';
import type { GraphQLNamedType, GraphQLObjectType, GraphQLOutputType, GraphQLResolveInfo } from 'graphql';

import { createError } from '../../../../../../src/server/operation/errors.ts';
import type { PayloadStream } from '../../../../../../src/server/operation/types.ts';
import { cases } from '../../../../../support/long-form.ts';
import { createRandom } from '../../../../../support/random.ts';
import type { Random } from '../../../../../support/random.ts';
import { RejectingValues } from '../../../../../support/rejecting-values.ts';
import { createInvocation, runIncrementally } from '../../../../../support/run-incrementally.ts';
import { assertAllHandled, unhandledRejections } from '../../../../../support/unhandled-rejections.ts';

const schema = buildSchema(`
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean! = true, label: String, initialCount: Int! = 0) on FIELD
  interface Node { id: Int!  next: Node }
  type Item implements Node { id: Int!  next: Node  numbers: [Int!]!  items: [Item!]  strict: Item! }
  type Other implements Node { id: Int!  next: Node  grid: [[Int!]!]  union: [Either!] }
  union Either = Item | Other
  type Query { item: Item!  items: [Item!]!  nodes: [Node!]  grid: [[Int!]!]!  either: [[Either]!]  number: Int! }
`);
const rounds = cases({ short: 30, long: 2000 });

// An unhandled rejection ends a Node process, and with it all other requests.
describe('whatever resolvers return to an operation with @defer and @stream', () => {
  it('no rejection is unhandled, whenever the deadline passes, and wherever the client leaves', async () => {
    await assertAllHandled(rounds, runOnce);
  });

  for (const [what, items] of [
    ['that are read late', (failed: unknown) => [1, 2, failed]],
    ['in lists at positions where no list is allowed', (failed: unknown) => [1, [failed]]],
  ] as const) {
    it(`none of the promises ${what} by a generator that is streamed`, async () => {
      const unhandled = await unhandledRejections(async () => {
        const failed = (): unknown => held(items(Promise.reject(new Error('held'))));
        const resolvers = { Query: { item: () => ({}) }, Item: { numbers: failed } };
        const typeDefs = 'type Query { item: Item } type Item { numbers: [Int] }';

        const { stream } = await runIncrementally({ typeDefs, resolvers }, '{ item { numbers @stream(initialCount: 1) } }');
        await new Promise((resolve) => setImmediate(resolve));
        await stream?.return();
      });

      equal(unhandled, 0);
    });
  }

  // At most this many items of a generator are read ahead, because each may start work.
  for (const [what, listOf] of [
    ['the values of a Map', (items: readonly unknown[]) => new Map(items.map((item, at) => [at, item])).values()],
    ['the iterator of a list', (items: readonly unknown[]) => items.values()],
    ['an object with the iterator of a Set', (items: readonly unknown[]) => ({ [Symbol.iterator]: () => new Set(items).values() })],
  ] as const) {
    it(`none of the promises far behind in ${what}`, async () => {
      const unhandled = await unhandledRejections(async () => {
        const items = (): unknown[] =>
          Array.from({ length: 12_000 }, (_, at) => (at < 11_999 ? at : Promise.reject(new Error('far behind'))));
        const typeDefs = 'type Query { numbers: [Int] }';
        const resolvers = { Query: { numbers: () => listOf(items()) } };

        const { stream } = await runIncrementally({ typeDefs, resolvers }, '{ numbers @stream(initialCount: 1) }');
        await new Promise((resolve) => setImmediate(resolve));
        await stream?.return();
      });

      equal(unhandled, 0);
    });
  }
});

function* held(items: readonly unknown[]): Generator {
  yield* items;
}

/** Objects without properties: resolvers create each value when they are called. */
class AskedValues extends RejectingValues {
  /** A list in place of an object: no executor reads its promises, so the code that created them has to handle them. */
  override value(type: GraphQLOutputType, depth: number): unknown {
    const value = super.value(type, depth);
    if (Array.isArray(value) && isObjectType(getNullableType(type))) for (const item of value) Promise.resolve(item).catch(() => {});
    return value;
  }

  override object({ name }: GraphQLObjectType): object {
    return { __typename: name };
  }
}

async function runOnce(seed: number): Promise<void> {
  const random = createRandom(seed);
  const query = queryOf(random, schema.getQueryType()!, 2);
  const values = new AskedValues(random, schema, random.chance(0.5) ? 'flat' : 'all');
  const fieldResolver = (source: unknown, _: unknown, _context: unknown, info: GraphQLResolveInfo): unknown =>
    info.fieldName === '__typename' ? (source as { __typename: string }).__typename : values.value(info.returnType, 2);
  const { invocation, cancel, lastMoment } = createInvocation();
  const [cancelled, lastMomentAt] = [random.chance(0.4) ? random.below(8) : Infinity, random.chance(0.2) ? random.below(8) : Infinity];
  const parts = random.chance(0.4) ? random.below(6) : Infinity;
  const settings = { format: random.pick(['current', 'legacy'] as const), invocation };

  const { stream } = await runIncrementally({ schema, fieldResolver, maxTokens: 100_000 }, query, settings);
  const reading = stream === undefined ? undefined : read(stream, parts);
  for (let turns = 0; turns < 14; turns++) {
    if (turns === cancelled) cancel(createError('CLIENT_LEFT', 'The client has left.'));
    if (turns === lastMomentAt) lastMoment();
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Some sources never end by themselves.
  lastMoment();
  await reading;
}

async function read(stream: PayloadStream, parts: number): Promise<void> {
  for (let part = 0; part < parts; part++) if ((await stream.next()).done === true) return;
  await stream.return();
}

/** Selects every field, some of them in parts. */
function queryOf(random: Random, type: GraphQLNamedType, depth: number): string {
  if (isAbstractType(type)) {
    const fragments = schema
      .getPossibleTypes(type)
      .map((one) => `... on ${one.name} ${random.chance(0.3) ? '@defer ' : ''}${queryOf(random, one, depth)}`);
    return `{ __typename ${fragments.join(' ')} }`;
  }
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  const asked = fields.map((field) => {
    const named = getNamedType(field.type);
    const stream = String(field.type).startsWith('[') && random.chance(0.4) ? ` @stream(initialCount: ${random.below(3)})` : '';
    if (isLeafType(named) || depth > 0) {
      const text = `${field.name}${stream} ${isLeafType(named) ? '' : queryOf(random, named, depth - 1)}`;
      return random.chance(0.25) ? `... @defer { ${text} }` : text;
    }
    return '';
  });
  return `{ __typename ${asked.join(' ')} }`;
}
