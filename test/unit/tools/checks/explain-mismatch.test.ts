import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/entries/index.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const typeDefs = `
  type Query { book: Book! later: Book! books: [Book!]! shelf: Shelf missing: Int! }
  type Book { id: ID! title: String! pages: Int }
  type Shelf { book: Book! books: [Book!] }
`;

/** The message of the error, with "(here)" in place of a position in this file. */
async function messageFor(query: string, Query: object = {}, options: Partial<ServerOptions> = {}): Promise<string | undefined> {
  const [logger] = recordingLogger();
  const given = { typeDefs, resolvers: { Query }, nodeEnv: 'development', landingPage: false, logger, ...options };
  const { errors } = await createTester(createHandler(given as ServerOptions)).run(query);
  return errors?.[0]?.message.replaceAll(/\(test\/unit\/tools\/checks\/explain-mismatch\.test\.ts:\d+:\d+\)/g, '(here)');
}

/** The message of graphql-js for the field. */
const nullOf = (coordinate: string): string => `Cannot return null for non-nullable field ${coordinate}.`;
const ofTitle = nullOf('Book.title');
const ofBook = 'The parent comes from the resolver of Query.book (here).';
const isReturned = 'is there a return? If it reads from a promise, is there an await?';
const isUndefined = 'It has no resolver, and the property "title" of its parent is undefined: is an await missing where it is set?';

class Book {
  titel = 'Emma';
  get title(): undefined {
    return undefined;
  }
}

describe('in development, the error of a value that does not match its field says where the value comes from, and what to do:', () => {
  const empty = (): undefined => undefined;
  const bookTitle = '{ book { title } }';
  for (const [query, resolvers, expected] of [
    ['{ book { id } }', { book: empty }, `${nullOf('Query.book')} Its resolver (here) returned undefined: ${isReturned}`],
    ['{ book { id } }', { book: empty.bind(null) }, `${nullOf('Query.book')} Its resolver (here) returned undefined: ${isReturned}`],
    ['{ book { id } }', { book: () => null }, `${nullOf('Query.book')} Its resolver (here) returned null.`],
    ['{ missing }', {}, `${nullOf('Query.missing')} It has no resolver: write Query: { missing: () => … }.`],
    [
      '{ missing }',
      { missing: () => 'many' },
      'Int cannot represent non-integer value: "many" in Query.missing. Its resolver (here) returned "many".',
    ],
    [
      bookTitle,
      { book: () => ({ id: 1, titel: 'Emma' }) },
      `${ofTitle} It has no resolver, and its parent has only id, titel. Did you mean "titel"? ${ofBook}`,
    ],
    [bookTitle, { book: () => ({ id: 1, title: undefined }) }, `${ofTitle} ${isUndefined} ${ofBook}`],
    [bookTitle, { book: () => new Book() }, `${ofTitle} ${isUndefined} ${ofBook}`],
    [bookTitle, { book: () => [{ title: 'Emma' }] }, `${ofTitle} Its parent is an array of 1, not one object. ${ofBook}`],
    [
      bookTitle,
      { book: () => ({ row: Promise.resolve({ title: 'Emma' }) }) },
      `${ofTitle} It has no resolver, and its parent has only row. "row" is a promise: is an await missing? ${ofBook}`,
    ],
    [
      '{ books { title } }',
      { books: () => [{ id: 1 }] },
      `${ofTitle} It has no resolver, and its parent has only id. The parent comes from the resolver of Query.books (here).`,
    ],
    [
      '{ books { id title } }',
      { books: () => Array.from({ length: 2000 }, (_, id) => (id === 1999 ? { id } : { id, title: 'Emma' })) },
      `${ofTitle} It has no resolver, and its parent has only id. The parent comes from the resolver of Query.books (here).`,
    ],
    [
      '{ shelf { book { id } } }',
      { shelf: () => ({ book: empty }) },
      `${nullOf('Shelf.book')} The method book of its parent (here) returned undefined: ${isReturned} The parent comes from the resolver of Query.shelf (here).`,
    ],
    [
      '{ books { id } }',
      { books: () => ({ count: 1, rows: [{ id: 1 }] }) },
      'Expected Iterable, but did not find one for field "Query.books". Its resolver (here) returned an object: return its property "rows", which is the list.',
    ],
    [
      '{ shelf { books { id } } }',
      { shelf: () => ({ books: 'Emma' }) },
      'Expected Iterable, but did not find one for field "Shelf.books". It has no resolver, and the property "books" of its parent is "Emma". The parent comes from the resolver of Query.shelf (here).',
    ],
  ] as const)
    test(`${query} ${expected}`, async () => {
      assert.equal(await messageFor(query, resolvers), expected);
    });

  test('names no cause in production, and none of an item of a list', async () => {
    const Query = { book: empty, books: () => [undefined] };

    assert.equal(await messageFor('{ book { id } }', Query, { nodeEnv: 'production', maskErrors: false }), nullOf('Query.book'));
    assert.equal(await messageFor('{ books { id } }', Query), nullOf('Query.books'));
  });
});
