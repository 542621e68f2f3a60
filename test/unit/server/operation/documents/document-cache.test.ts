import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildSchema, Kind, parse } from 'graphql';
import type { DocumentNode, OperationDefinitionNode } from 'graphql';

import { executePlanned } from '../../../../../src/executor/execute.ts';
import { DocumentCache } from '../../../../../src/server/operation/documents/document.ts';
import type { KnownDocument } from '../../../../../src/server/operation/documents/document.ts';
import { heapGrowth } from '../../../../support/heap-growth.ts';

const keep = (document: DocumentNode): KnownDocument => ({
  document,
  weight: 1,
  plans: { byOperation: new Map() },
});
const document = keep(parse('{ a }'));
/** A unique text of 100 characters. */
const text = (number: number): string => String(number).padEnd(100, 'x');
/** Much more than one such text with its document takes, and much less than a hundred take. */
const room = 75_000;

function filled(cache: DocumentCache, count: number): number {
  for (let number = 0; number < count; number++) cache.set(text(number), document);
  return Array.from({ length: count }, (_, number) => cache.get(text(number))).filter((found) => found !== undefined).length;
}

test('no more documents are kept than fit, and twice as many in twice the size', () => {
  const kept = filled(new DocumentCache(room), 10_000);
  const ratio = filled(new DocumentCache(2 * room), 10_000) / kept;

  assert.ok(kept > 0 && kept <= room / 100, `${kept} are kept`);
  assert.ok(ratio > 1.5 && ratio < 2.5, `the ratio is ${ratio}`);
});

test('used documents stay, unused ones are evicted first', () => {
  const cache = new DocumentCache(room);
  cache.set(text(0), document);
  cache.set(text(1), document);

  for (let number = 2; number < 1000; number++) {
    cache.set(text(number), document);
    cache.get(text(0));
  }

  assert.equal(cache.get(text(0)), document);
  assert.equal(cache.get(text(1)), undefined);
});

test('a text that is too long for the whole cache is not kept, and evicts nothing', () => {
  const cache = new DocumentCache(room);
  cache.set(text(1), document);

  cache.set('y'.repeat(room), document);

  assert.equal(cache.get('y'.repeat(room)), undefined);
  assert.equal(cache.get(text(1)), document);
});

test('the same text again takes no more space', () => {
  const cache = new DocumentCache(room);
  cache.set(text(1), document);

  for (let again = 0; again < 10_000; again++) cache.set(text(2), document);

  assert.equal(cache.get(text(1)), document);
});

test('short documents with many tokens are counted by their tokens, long texts by their characters', () => {
  const dense = keep(parse(`{${'a '.repeat(50)}}`));
  const sparse = keep(parse('{ a }'));
  const kept = (one: typeof document, length: number): number => {
    const cache = new DocumentCache(10 * room);
    for (let number = 0; number < 1000; number++) cache.set(String(number).padEnd(length, 'x'), one);
    return Array.from({ length: 1000 }, (_, number) => cache.get(String(number).padEnd(length, 'x'))).filter((found) => found !== undefined)
      .length;
  };

  assert.ok(kept(dense, 100) * 5 < kept(sparse, 100));
  assert.ok(kept(sparse, 20_000) * 5 < kept(sparse, 100));
});

test('an evicted document is not found, even if it was the last one used', () => {
  const cache = new DocumentCache(room);
  cache.set(text(0), document);
  cache.get(text(0));

  filled(cache, 1_000);
  for (let number = 1_000; number < 3_000; number++) cache.set(text(number), document);

  assert.equal(cache.get(text(0)), undefined);
});

test('long texts of the same length are distinguished, wherever they differ', () => {
  const cache = new DocumentCache(10_000_000);
  const long = (at: number): string => `${'x'.repeat(at)}y${'x'.repeat(40_000 - at)}`;
  const documents = [0, 1, 5_000, 20_000, 39_990, 40_000].map((at) => ({ source: long(at), known: keep(parse('{ a }')) }));

  for (const { source, known } of documents) {
    cache.set(source, known);
    assert.equal(cache.get(source), known);
  }

  for (const { source, known } of documents) assert.ok([known, undefined].includes(cache.get(source)));
  assert.equal(cache.get(long(20_001)), undefined);
  assert.ok(documents.filter(({ source, known }) => cache.get(source) === known).length > 2);
});

test('plans count in the cache with their documents, and the least recently used documents are evicted with theirs', () => {
  const cache = new DocumentCache(room);
  const [one, other] = [keep(parse('{ a }')), keep(parse('{ a }'))];
  cache.set(text(1), one);
  cache.set(text(2), other);
  for (let number = 3; number < 9; number++) cache.set(text(number), keep(parse('{ a }')));
  cache.get(text(2));

  const taken = Array.from({ length: 3 }, (_, number) => cache.get(text(6 + number))!.plans.takeRoom!(40));

  assert.deepEqual(taken, [true, true, true]);
  assert.equal(cache.get(text(1)), undefined);
  assert.equal(one.plans.takeRoom!(1_000), true, 'plans of an evicted document are not counted');
  assert.equal(cache.get(text(2)), other);
});

test('plans of one document take at most a quarter of the cache beyond what its tokens account for', () => {
  const cache = new DocumentCache(room);
  const known = keep(parse('{ a }'));
  cache.set(text(1), known);

  assert.equal(known.plans.takeRoom!(40), true);
  assert.equal(known.plans.takeRoom!(30), false);
  assert.equal(known.plans.takeRoom!(-40), true);
  assert.equal(known.plans.takeRoom!(30), true);
  assert.equal(cache.get(text(1)), known);
});

describe('the heap of a full cache of long texts with few tokens is limited, plans included', () => {
  const bytes = 4 * 1024 * 1024;
  const schema = buildSchema(`
    type Query { a: Int q: Query n: [N] }
    interface N { a: Int q: Query }
    ${Array.from({ length: 40 }, (_, at) => `type T${at} implements N { a: Int q: Query }`).join(' ')}
  `);
  const root: Record<string, unknown> = { a: 1, n: Array.from({ length: 40 }, (_, at) => ({ __typename: `T${at}`, a: 1, q: { a: 1 } })) };
  root['q'] = root;

  for (const [what, source] of [
    ['with fields of many types', `{ n { ${Array.from({ length: 25 }, (_, at) => `a${at}: q { a }`).join(' ')} } }`],
    ['with aliases of an interface', `{ ${Array.from({ length: 25 }, (_, at) => `n${at}: n { a }`).join(' ')} }`],
    [
      'with many operations that share fragments',
      `${Array.from({ length: 20 }, (_, at) => `query Q${at} { n { ...F } }`).join(' ')} fragment F on N { ${Array.from({ length: 20 }, (_, at) => `a${at}: a`).join(' ')} }`,
    ],
  ] as const) {
    test(`for documents ${what}`, () => {
      const cache = new DocumentCache(bytes);
      const textOf = (number: number): string => `${source}${' '.repeat(4_000)}#${number}`;
      const run = (number: number): void => {
        const text = textOf(number);
        const known = keep(parse(text, { noLocation: true }));
        cache.set(text, known);
        const operations = known.document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
        for (let time = 0; time < 3; time++)
          for (const operation of operations as OperationDefinitionNode[])
            void executePlanned({
              schema,
              document: known.document,
              operation,
              kept: known.plans,
              rootValue: root,
              contextValue: {},
              variableValues: {},
              hideSuggestions: false,
            });
      };
      run(0);

      const growth = heapGrowth(() => {
        for (let number = 1; number < 100; number++) run(number);
      });

      assert.ok(growth < 1.25 * bytes, `the heap grew by ${growth} bytes`);
      assert.ok(cache.get(textOf(99)) !== undefined);
    });
  }
});
