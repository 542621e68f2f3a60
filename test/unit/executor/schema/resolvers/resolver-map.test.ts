import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLScalarType } from 'graphql';

import type { Resolvers } from '../../../../../src/executor/schema/resolvers/resolver-map.ts';

interface Context {
  readonly user: { readonly name: string };
}

/** Replaces createHandler: the type of the context is known, and that of the resolvers is inferred. */
function accept(resolvers: Resolvers<Context>): number {
  return [resolvers].flat().length;
}

// The test is that this compiles, and that every expected error is an error.
test('resolvers have the type of the context, and each kind of type has its kind of resolvers', () => {
  const given = accept({
    Query: {
      greeting: (_parent, { loud }, { user }, info) => (loud ? user.name.toUpperCase() : user.name) + info.fieldName,
      async later(_parent, _args, context) {
        return context.user.name;
      },
      constant: () => 5,
    },
    Subscription: {
      greetings: {
        async *subscribe(_parent, _args, { user }) {
          yield user.name;
        },
        resolve: (event: string, _args, { user }) => event + user.name,
      },
    },
    Node: { __resolveType: (value) => (value.pages ? 'Book' : 'Film'), id: (node) => node.id },
    Book: { __isTypeOf: (value) => 'pages' in value },
    Colour: { RED: '#f00', GREEN: 0, BLUE: { red: 0, blue: 255 }, NONE: null },
    Date: new GraphQLScalarType({ name: 'Date' }),
    JSON: { serialize: (value: unknown) => value, parseValue: (value) => value, parseLiteral: (node) => node.value },
  });

  assert.equal(given, 1);
});

test('invalid resolvers do not compile', () => {
  const accepted = [
    // @ts-expect-error the context has no such property
    accept({ Query: { a: (_parent, _args, { session }) => session } }),
    // @ts-expect-error the context is not a string
    accept({ Query: { a: (_parent: unknown, _args: unknown, context: string) => context } }),
    // @ts-expect-error a resolver is a function
    accept({ Query: { a: (_parent, _args, { user }) => user.name, b: Promise.resolve(1) } }),
    // @ts-expect-error a type's resolvers are an object
    accept({ Query: 'books' }),
  ];

  // The compiler checks each @ts-expect-error. At run time the types have been removed.
  assert.deepEqual(accepted, [1, 1, 1, 1]);
});
