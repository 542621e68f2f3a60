import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLScalarType } from 'graphql';

import type { Resolvers, ScalarResolvers } from '../../../../src/executor/schema/resolvers/resolver-map.ts';

interface Context {
  readonly user: { readonly name: string };
}

/** Stands for createHandler: the context's type is known, the resolvers' is not written. */
function accept(resolvers: Resolvers<Context>): number {
  return [resolvers].flat().length;
}

// tsc does the checking; that this compiles, and that every expected error is one, is the test.
test('resolvers get the type of the context, and every kind of type its kind of resolvers', () => {
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

test('a list of maps is typed as one is', () => {
  assert.equal(accept([{ Query: { greeting: (_parent, _args, { user }) => user.name } }, { Date: { serialize: String } }]), 2);
});

test('the functions of a scalar may be written apart', () => {
  const date: ScalarResolvers = { serialize: (value) => value.toISOString(), parseValue: (text) => new Date(text) };

  assert.equal(accept({ Date: date }), 1);
});

test('wrong resolvers do not compile', () => {
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

  // The compiler has read what follows each @ts-expect-error; here, types are gone.
  assert.deepEqual(accepted, [1, 1, 1, 1]);
});
