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

async function messageFor(query: string, options: Partial<ServerOptions>): Promise<string | undefined> {
  const [logger] = recordingLogger();
  const handler = createHandler({ typeDefs, nodeEnv: 'development', landingPage: false, logger, ...options } as ServerOptions);
  const { errors } = await createTester(handler).run(query);
  return errors?.[0]?.message;
}

/** The message of graphql-js for the field. */
const nullOf = (coordinate: string): string => `Cannot return null for non-nullable field ${coordinate}.`;
const here = String.raw`\(test/unit/tools/checks/explain-mismatch\.test\.ts:\d+:\d+\)`;

const ofBook = `The parent comes from the resolver of Query\\.book ${here}\\.`;

describe('in development, the error of a value that does not match its field', () => {
  const empty = (): undefined => undefined;
  const cases: Readonly<Record<string, readonly [query: string, resolvers: object, expected: RegExp]>> = {
    'asks for the return of a resolver, and says where it is': [
      '{ book { id } }',
      { Query: { book: empty } },
      new RegExp(`^${nullOf('Query.book')} Its resolver ${here} returned undefined: is there a return\\?`),
    ],
    'tells null from undefined': [
      '{ book { id } }',
      { Query: { book: () => null } },
      new RegExp(`^${nullOf('Query.book')} Its resolver ${here} returned null\\.$`),
    ],
    'names the missing resolver of a root field': [
      '{ missing }',
      {},
      /^Cannot return null for non-nullable field Query\.missing\. It has no resolver: write Query: \{ missing: \(\) => … \}\.$/,
    ],
    'names the properties of the parent, and the one that is meant': [
      '{ book { title } }',
      { Query: { book: () => ({ id: 1, titel: 'Emma' }) } },
      new RegExp(`Book\\.title\\. It has no resolver, and its parent has only id, titel\\. Did you mean "titel"\\? ${ofBook}$`),
    ],
    'asks for an await where a property is undefined, and does not offer its own name': [
      '{ book { title } }',
      { Query: { book: () => ({ id: 1, title: undefined }) } },
      new RegExp(
        `Book\\.title\\. It has no resolver, and the property "title" of its parent is undefined: is an await missing where it is set\\? ${ofBook}$`,
      ),
    ],
    'asks for it where a getter of a class returned undefined, too': [
      '{ book { title } }',
      {
        Query: {
          book: () =>
            new (class Book {
              titel = 'Emma';
              get title(): undefined {
                return undefined;
              }
            })(),
        },
      },
      /the property "title" of its parent is undefined: is an await missing where it is set\?/,
    ],
    'finds the resolver of a parent in a list': [
      '{ books { title } }',
      { Query: { books: () => [{ id: 1 }] } },
      new RegExp(`its parent has only id\\. The parent comes from the resolver of Query\\.books ${here}\\.$`),
    ],
    'has the coordinate and the resolver of a wrong leaf value': [
      '{ missing }',
      { Query: { missing: () => 'many' } },
      new RegExp(`^Int cannot represent non-integer value: "many" in Query\\.missing\\. Its resolver ${here} returned "many"\\.$`),
    ],
    'says that the parent is a list': [
      '{ book { title } }',
      { Query: { book: () => [{ title: 'Emma' }] } },
      /Book\.title\. Its parent is an array of 1, not one object\. [^]*Query\.book /,
    ],
    'names a promise in the parent that is not awaited': [
      '{ book { title } }',
      { Query: { book: () => ({ row: Promise.resolve({ title: 'Emma' }) }) } },
      /Book\.title\. It has no resolver, and its parent has only row\. "row" is a promise: is an await missing\? The parent comes from/,
    ],
    'says where the method of the parent is': [
      '{ shelf { book { id } } }',
      { Query: { shelf: () => ({ book: empty }) } },
      new RegExp(`Shelf\\.book\\. The method book of its parent ${here} returned undefined: is there a return`),
    ],
    'names the list inside an object that was returned for a list': [
      '{ books { id } }',
      { Query: { books: () => ({ count: 1, rows: [{ id: 1 }] }) } },
      new RegExp(
        `^Expected Iterable, [^]*"Query\\.books"\\. Its resolver ${here} returned an object: return its property "rows", which is the list\\.$`,
      ),
    ],
    'says what was returned for a list, without a resolver too': [
      '{ shelf { books { id } } }',
      { Query: { shelf: () => ({ books: 'Emma' }) } },
      /"Shelf\.books"\. It has no resolver, and the property "books" of its parent is "Emma"\. The parent comes from the resolver of Query\.shelf /,
    ],
  };

  for (const [name, [query, resolvers, expected]] of Object.entries(cases))
    test(name, async () => {
      assert.match((await messageFor(query, { resolvers: resolvers as never })) ?? '', expected);
    });

  test('has its cause in rows of a list, and for a resolver that was bound', async () => {
    const rows = Array.from({ length: 2000 }, (_, id) => (id === 1999 ? { id } : { id, title: 'Emma' }));

    assert.match(
      (await messageFor('{ books { id title } }', { resolvers: { Query: { books: () => rows } } as never })) ?? '',
      /parent has only id\./,
    );
    assert.match(
      (await messageFor('{ book { id } }', { resolvers: { Query: { book: empty.bind(null) } } as never })) ?? '',
      new RegExp(here),
    );
  });

  test('names no cause in production, and none of an item of a list', async () => {
    const options = { resolvers: { Query: { book: empty, books: () => [undefined] } } as never };

    assert.equal(await messageFor('{ book { id } }', { ...options, nodeEnv: 'production', maskErrors: false }), nullOf('Query.book'));
    assert.equal(await messageFor('{ books { id } }', options), nullOf('Query.books'));
  });
});
