import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError } from 'graphql';

import { executePlanned } from '../../../../src/executor/execute.ts';
import { executionOf, runBoth } from '../../../support/differential/both-executors.ts';

const typeDefs = `
  type Query { user: User  name: String!  broken: Int  late: String  user2: User! }
  type User { id: ID!  name(upper: Boolean): String!  email: String  self: User }
`;

describe('the fields of an object', () => {
  it('are read from properties, called as methods, or resolved, in the order of the document', async () => {
    const rootValue = { name: 'root', user: { id: 7, name: ({ upper }: { upper: boolean }) => (upper ? 'ANN' : 'Ann'), email: null } };

    const { data } = await runBoth({ typeDefs, text: '{ user { email upper: name(upper: true) id name } __typename name }', rootValue });

    equal(JSON.stringify(data), '{"user":{"email":null,"upper":"ANN","id":"7","name":"Ann"},"__typename":"Query","name":"root"}');
  });

  it('of a method get the object as `this`, as in graphql-js', async () => {
    class User {
      readonly id = 1;
      name(): string {
        return `user ${this.id}`;
      }
    }

    const { data } = await runBoth({ typeDefs, text: '{ user { name } }', rootValue: { user: new User() } });

    deepEqual(data, { user: { name: 'user 1' } });
  });

  it('of a primitive parent are null', async () => {
    const { data } = await runBoth({ typeDefs, text: '{ user { email } }', rootValue: { user: 'a text' } });

    deepEqual(data, { user: { email: null } });
  });

  it('read each property once', async () => {
    let reads = 0;
    const user = {
      get email(): string {
        reads++;
        return 'a@example.com';
      },
    };

    await executePlanned(executionOf({ typeDefs, text: '{ user { email } }', rootValue: { user } }));

    equal(reads, 1);
  });

  it('that throw, reject or return an Error are null, with the path and location of the error', async () => {
    const functions = {
      Query: {
        broken: () => {
          throw new GraphQLError('refused', { extensions: { code: 'NO' } });
        },
        late: () => Promise.reject(new Error('too late')),
        user: () => new Error('returned'),
      },
    };

    const { data, errors } = await runBoth({ typeDefs, functions, text: '{ broken late user { id } name }', rootValue: { name: 'x' } });

    deepEqual(data, { broken: null, late: null, user: null, name: 'x' });
    deepEqual(
      errors?.map(({ message, path, extensions }) => ({ message, path, extensions })),
      [
        { message: 'refused', path: ['broken'], extensions: { code: 'NO' } },
        { message: 'returned', path: ['user'], extensions: undefined },
        { message: 'too late', path: ['late'], extensions: undefined },
      ],
    );
  });

  it('that throw a value other than an Error report the value', async () => {
    const functions = {
      Query: {
        broken: () => {
          throw { code: 3, list: [1, 'two'] };
        },
      },
    };

    const { errors } = await runBoth({ typeDefs, functions, text: '{ broken }' });

    equal(errors?.[0]?.message, 'Unexpected error value: { code: 3, list: [1, "two"] }');
  });

  it('that are non-null make the nearest nullable parent null', async () => {
    const rootValue = { user: { id: 1, self: { id: 2, name: null, email: 'kept?' } } };

    const { data, errors } = await runBoth({ typeDefs, text: '{ user { id self { email name } } }', rootValue });

    deepEqual(data, { user: { id: '1', self: null } });
    deepEqual(errors?.[0]?.path, ['user', 'self', 'name']);
  });

  it('that are non-null make the data null if no parent is nullable', async () => {
    const { data } = await runBoth({ typeDefs, text: '{ user2 { id } }', rootValue: { user2: { id: async () => null } } });

    equal(data, null);
  });

  it('that fail in the same turn make their parent null and report at least one of their errors', async () => {
    const fails = (message: string) => async () => {
      throw new Error(message);
    };
    const rootValue = { user: { id: fails('id'), name: fails('name'), email: fails('email') } };

    const { data, errors = [] } = await executePlanned(executionOf({ typeDefs, text: '{ user { id name email } }', rootValue }));

    equal(JSON.stringify(data), '{"user":null}');
    ok(errors.length > 0);
    for (const { message, path } of errors) deepEqual(path, ['user', message]);
  });

  it('may be called __proto__ without access to a prototype', async () => {
    const { data } = await runBoth({ typeDefs, text: '{ __proto__: name }', rootValue: { name: 'x' } });

    deepEqual(Object.keys(data ?? {}), ['__proto__']);
  });

  it('without a resolver use the default field resolver, if there is one', async () => {
    const fieldResolver = (_: unknown, __: unknown, ___: unknown, info: { fieldName: string }): string => `resolved ${info.fieldName}`;

    const { data } = await runBoth({ typeDefs, text: '{ name }', options: { fieldResolver } });

    deepEqual(data, { name: 'resolved name' });
  });

  it('use a resolver that was set after the plan was created', async () => {
    const execution = executionOf({ typeDefs, text: '{ name }', rootValue: { name: 'before' } });
    await executePlanned(execution);

    execution.schema.getQueryType()!.getFields()['name']!.resolve = () => 'after';
    const { data } = await executePlanned(execution);

    equal(data?.['name'], 'after');
  });
});
