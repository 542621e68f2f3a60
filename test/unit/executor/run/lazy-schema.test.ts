import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLSchema, parse } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import { executePlanned } from '../../../../src/executor/execute.ts';
import { createSchema } from '../../../../src/executor/schema/create-schema.ts';
import { isKnownValid } from '../../../../src/executor/validation/fast-validator.ts';
import { generateSchema } from '../../../support/schema-generator.ts';

const typeDefs = `
  interface Pet { name: String! }
  type Dog implements Pet { name: String!  owner: Owner }
  type Owner { name: String  pets(first: Int = 1): [Pet!] }
  union Found = Dog | Owner
  extend type Query { pet: Pet  found: [Found!] }
  ${generateSchema({ types: 300 })}
`;
const text = `
  query ($first: Int, $no: Boolean!) {
    pet { __typename name ...dog }
    found { __typename ... on Owner { pets(first: $first) @skip(if: $no) { name } } }
  }
  fragment dog on Dog { owner { name } }
`;

test('validation and execution on a lazy schema do not list its types', async () => {
  const dog = { __typename: 'Dog', name: 'Rex', owner: { name: 'Ann' } };
  const resolvers = {
    Query: {
      pet: () => dog,
      found: async () => [
        dog,
        { __typename: 'Owner', name: 'Bob', pets: ({ first }: { first: number }) => Array.from({ length: first }, () => dog) },
      ],
    },
  };
  const schema = createSchema({ typeDefs, resolvers }, { checkWhole: false, warn: () => {} });
  // Listing the types of a lazy schema would build all of them.
  let listings = 0;
  const typeMap = schema.getTypeMap();
  schema.getTypeMap = () => new Proxy(typeMap, { ownKeys: (target) => (listings++, Reflect.ownKeys(target)) });
  const document = parse(text);

  const isValid = isKnownValid(schema, document);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const result = await executePlanned({
    schema,
    document,
    operation,
    rootValue: {},
    contextValue: {},
    variableValues: { first: 2, no: false },
    hideSuggestions: true,
  });

  equal(schema instanceof GraphQLSchema && isValid, true);
  deepEqual(JSON.parse(JSON.stringify(result)), {
    data: {
      pet: { __typename: 'Dog', name: 'Rex', owner: { name: 'Ann' } },
      found: [{ __typename: 'Dog' }, { __typename: 'Owner', pets: [{ name: 'Rex' }, { name: 'Rex' }] }],
    },
  });
  equal(listings, 0);
});
