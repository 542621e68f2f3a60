import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { makeExecutableSchema } from '@graphql-tools/schema';
import { parse, versionInfo } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import { batch } from '../../../../src/entries/index.ts';
import { executeInParts, planners } from '../../../../src/executor/parts/parts.ts';
import { recordChannelEvents } from '../../../support/differential/channel-events.ts';
import { runInParts, runWithGraphQLJS } from '../../../support/differential/compare-parts.ts';
import type { PartsRequest } from '../../../support/differential/compare-parts.ts';

const typeDefs = `
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean! = true, label: String, initialCount: Int! = 0) on FIELD
  type Query { numbers: [Int] books(first: Int = 3): [Book] }
  type Book { id: ID! title: String author: Author }
  type Author { id: ID! name: String }
`;

function ask(text: string, resolvers: object, settings: Partial<PartsRequest> = {}): ReturnType<typeof runInParts> {
  const schema = makeExecutableSchema({ typeDefs, resolvers: resolvers as never });
  return runInParts({ schema, document: parse(text), format: 'current', ...settings });
}

const books = (_: unknown, { first }: { first: number }): object[] =>
  Array.from({ length: first }, (_book, id) => ({ id, title: `b${id}` }));

function itemsOf({ others }: Awaited<ReturnType<typeof runInParts>>): unknown[] {
  return others.flatMap(({ incremental = [] }) => incremental.flatMap(({ items }) => items ?? []));
}

describe('a streamed list', () => {
  for (const [what, numbers] of [
    ['a promise of a Set', async () => new Set([1, 2, 3])],
    ['an iterator', () => [1, 2, 3].values()],
    [
      'an asynchronous generator',
      async function* numbers() {
        yield* [1, 2, 3];
      },
    ],
  ] as const)
    test(`may be ${what}`, async () => {
      const results = await ask('{ numbers @stream(initialCount: 1) }', { Query: { numbers } });

      deepEqual(JSON.parse(JSON.stringify(results.first.data)), { numbers: [1] });
      deepEqual(itemsOf(results), [2, 3]);
    });

  test('that fails before its initialCount is an error of the field', async () => {
    const numbers = function* (): Generator<number> {
      yield 1;
      throw new Error('no more');
    };

    const { first, others } = await ask(
      'query ($count: Int!) { numbers @stream(initialCount: $count) }',
      { Query: { numbers } },
      { variableValues: { count: 2 } },
    );

    deepEqual([{ ...first.data }, first.errors![0]!.message, others.length], [{ numbers: null }, 'no more', 0]);
  });

  test('with a negative initialCount is an error', async () => {
    const { first } = await ask('{ numbers @stream(initialCount: -1) }', { Query: { numbers: () => [1] } });

    match(first.errors![0]!.message, /^Expected initialCount of @stream to be 0 or more, got -1\.$/);
    deepEqual(first.errors![0]!.extensions, { code: 'BAD_USER_INPUT' });
  });
});

describe('a batched field', () => {
  for (const [what, query, first] of [
    ['deferred in each object of a list', '{ books { id ... @defer { author { name } } } }', 3],
    ['deferred in each object, made by generated code', '{ books(first: 10100) { id ... @defer { author { name } } } }', 10_100],
    ['of two deferred fragments', '{ a: books { ...F @defer } } fragment F on Book { author { name } }', 3],
  ] as const)
    test(`${what} is one call`, async () => {
      const sizes: number[] = [];
      const author = batch((all: readonly { id: number }[]) => (sizes.push(all.length), all.map(({ id }) => ({ id, name: `a${id}` }))));

      const { others } = await ask(query, { Query: { books }, Book: { author } }, { maxParts: 20_000 });

      deepEqual(sizes, [first]);
      equal(others.flatMap(({ incremental = [] }) => incremental).length, first);
    });
});

describe('the source of a list that hangs is closed', () => {
  for (const [what, text, resolvers] of [
    ['in a deferred part', '{ ... @defer { numbers } }', {}],
    ['in an item of a streamed list', '{ books @stream { author { id } } }', { Author: { id: () => new Promise(() => {}) } }],
  ] as const)
    test(`${what}, when the client stops reading`, async () => {
      let isClosed = false;
      const hanging = {
        [Symbol.asyncIterator]: () => ({
          next: (): Promise<never> => new Promise(() => {}),
          return: async () => ((isClosed = true), { done: true, value: undefined }),
        }),
      };
      const Query = { numbers: () => hanging, books: () => hanging };
      const schema = makeExecutableSchema({ typeDefs, resolvers: { Query, ...resolvers } as never });
      const document = parse(text);
      const parts = { planner: planners.current, maxParts: 10 };
      const operation = document.definitions[0] as OperationDefinitionNode;

      const outcome = await executeInParts({
        schema,
        document,
        operation,
        rootValue: {},
        contextValue: {},
        variableValues: {},
        hideSuggestions: true,
        parts,
        takesAsyncIterables: true,
      });
      const reading = outcome.parts!.next();
      await new Promise((resolve) => setImmediate(resolve));
      await outcome.parts!.return!();

      equal((await reading).done, true);
      equal(isClosed, true);
    });
});

test('tracing channels get the events of graphql-js 17', { skip: versionInfo.major < 17 && 'graphql 16 has no channels' }, async () => {
  const schema = makeExecutableSchema({ typeDefs, resolvers: { Query: { books, numbers: () => [1, 2] } } as never });
  const document = parse('{ books { id ... @defer { title } } numbers @stream(initialCount: 1) }');
  const request: PartsRequest = { schema, document, format: 'current' };

  const [ours, theirs] = [await eventsOf(() => runInParts(request)), await eventsOf(() => runWithGraphQLJS(request))];

  deepEqual(ours, theirs);
});

async function eventsOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  const recorder = recordChannelEvents();
  try {
    await run();
  } finally {
    recorder.stop();
  }
  // graphql-js's iterator has functions as properties.
  return recorder.events.map((event) => event.replace(/"subsequentResults":\{.*\}(?=\},"schema")/, '"subsequentResults":{}')).toSorted();
}
