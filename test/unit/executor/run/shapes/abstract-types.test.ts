import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { runBoth } from '../../../../support/differential/both-executors.ts';

const typeDefs = `
  interface Pet { name: String! }
  type Dog implements Pet { name: String!  barks: Boolean }
  type Cat implements Pet { name: String!  lives: Int }
  type Stone { weight: Int }
  union Thing = Dog | Stone
  type Query { pet: Pet  pets: [Pet!]  thing: Thing  dog: Dog }
`;
const text = '{ pet { __typename name ... on Dog { barks } ...cat } } fragment cat on Cat { lives }';
const dog = { name: 'Rex', barks: true };

describe('an abstract type', () => {
  it('is the type in __typename', async () => {
    deepEqual((await runBoth({ typeDefs, text, rootValue: { pet: { ...dog, __typename: 'Dog' } } })).data, {
      pet: { __typename: 'Dog', name: 'Rex', barks: true },
    });
  });

  for (const [how, answer] of [
    ['synchronously', (value: string) => value],
    ['by a promise', (value: string) => Promise.resolve(value)],
  ] as const) {
    it(`is the type that resolveType returns, ${how}`, async () => {
      const functions = { Pet: { resolveType: () => answer('Cat') } };

      const { data } = await runBoth({ typeDefs, functions, text, rootValue: { pet: { name: 'Tom', lives: async () => 9 } } });

      deepEqual(data, { pet: { __typename: 'Cat', name: 'Tom', lives: 9 } });
    });
  }

  it('is the first type whose isTypeOf returns or resolves to true', async () => {
    const functions = {
      Dog: { isTypeOf: async () => false },
      Cat: { isTypeOf: async ({ lives }: { lives?: number }) => lives !== undefined },
    };

    const { data } = await runBoth({ typeDefs, functions, text, rootValue: { pet: { name: 'Tom', lives: 9 } } });

    deepEqual(data, { pet: { __typename: 'Cat', name: 'Tom', lives: 9 } });
  });

  for (const [name, expected] of [
    [undefined, /must resolve to an Object type at runtime for field "Query\.pet"\. Either the "Pet" type should provide/],
    [7, /with value \{ name: "Rex", barks: true \}, received "7"/],
    ['Nobody', /was resolved to a type "Nobody" that does not exist/],
    ['Thing', /was resolved to a non-object type "Thing"/],
    ['Stone', /Runtime Object type "Stone" is not a possible type for "Pet"/],
  ] as const) {
    it(`that resolves to ${String(name)} is an error`, async () => {
      const functions = { Pet: { resolveType: () => name } };

      const { data, errors } = await runBoth({ typeDefs, functions, text, rootValue: { pet: dog } });

      deepEqual(data, { pet: null });
      match(errors?.[0]?.message ?? '', expected);
    });
  }

  it('is resolved with the info of its field, also in a list', async () => {
    const paths: string[] = [];
    const resolveType = (_: unknown, __: unknown, info: { path: { key: unknown } }): string => {
      paths.push(String(info.path.key));
      return 'Dog';
    };

    await runBoth({ typeDefs, functions: { Pet: { resolveType } }, text: '{ pets { name } }', rootValue: { pets: [dog, dog] } });

    deepEqual(new Set(paths), new Set(['pets']));
  });
});

describe('an object type with isTypeOf', () => {
  it('rejects types that are not possible', async () => {
    const functions = { Dog: { isTypeOf: (value: { barks?: boolean }) => value.barks === true } };
    const rootValue = { dog: { name: 'Tom' } };

    const { data, errors } = await runBoth({ typeDefs, functions, text: '{ dog { name } }', rootValue });

    deepEqual(data, { dog: null });
    equal(errors?.[0]?.message, 'Expected value of type "Dog" but got: { name: "Tom" }.');
  });

  it('may reject', async () => {
    const isTypeOf = async (): Promise<never> => {
      throw new Error('no idea');
    };

    const { errors } = await runBoth({ typeDefs, functions: { Dog: { isTypeOf } }, text: '{ dog { name } }', rootValue: { dog } });

    deepEqual(errors?.[0]?.path, ['dog']);
  });
});
