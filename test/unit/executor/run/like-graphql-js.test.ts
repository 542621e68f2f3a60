import { describe, it } from 'node:test';

import { runBoth } from '../../../support/differential/both-executors.ts';

const typeDefs = `
  directive @experimental_disableErrorPropagation on QUERY
  type Query { a: String  user: User  users: [User]  must: [User!]!  node: Node  nodes: [Node]  lists: [[Int]]  args(b: Int = 1, in: In, list: [Int]): String }
  interface Node { id: ID }
  type Pet implements Node { id: ID!  barks: Boolean }
  type User implements Node { id: ID  name(upper: Boolean): String  email: String  must: String!  friend: User  length: Int }
  type Other { id: ID }
  input In { a: Int = 2  b: [Int] }
`;

class Person {
  readonly #name = 'Ann';
  name({ upper }: { upper?: boolean }): string {
    return upper === true ? this.#name.toUpperCase() : this.#name;
  }
}
const fail = (thrown: unknown) => (): never => {
  throw thrown;
};
const shrinking = (): object[] => {
  const list: object[] = [{ id: () => (list.length = 1) }, { id: 2 }, { id: 3 }];
  return list;
};
const user = { __typename: 'User', id: '1', must: 'x', friend: { id: '2', must: 'y' } };
const usual = { a: 'A', user, users: [user, null, user], must: [user], node: user };
const unreadable = {
  ...user,
  get email(): string {
    throw new Error('unreadable');
  },
};
// oxlint-disable-next-line unicorn/no-thenable -- calls back synchronously
const thenable = { then: (onValue: (value: string) => void): void => onValue('first') };
/** What a list can have beside plain rows. */
const mixed = [
  user,
  { ...user, id: 2.5 },
  { ...user, email: 5, name: async () => 'late', length: '17' },
  { ...user, length: Number.NaN, email: thenable, friend: async () => ({ id: 3 }) },
  { ...user, must: Promise.resolve(null) },
  { __typename: 'Pet', id: 'p', barks: Promise.resolve(true) },
  unreadable,
  { __typename: 'Pet', id: null, barks: 'yes' },
  { __typename: 'Other' },
  { __typename: 7 },
  { id: 'nobody' },
  null,
  new Error('no row'),
  Promise.resolve(user),
  'text',
];
const where = 'query ($if: Boolean = true)';

/** Operations and values that the random ones hardly meet. */
const cases: Readonly<
  Record<string, readonly [rootValue: object, texts: string | readonly string[], variables?: object, functions?: object]>
> = {
  'methods, which get the object as `this`': [{ user: new Person() }, '{ user { upper: name(upper: true) name } }'],
  'properties of a primitive parent': [{ user: 'text' }, '{ user { length email a: name(upper: true) } }'],
  'rows that are not plain': [{ users: mixed }, '{ users { length email name must __typename friend { id must } id } }'],
  'rows of several types': [{ nodes: mixed }, '{ nodes { __typename id ... on Pet { barks } ... on User { must email } } }'],
  'an operation without a root type': [usual, 'mutation { a }'],
  'values that are thrown and are no errors': [
    { user: { email: fail('a text'), name: fail(undefined), id: fail({ a: 1 }) } },
    '{ user { email name id } }',
  ],
  'errors that are returned': [{ user: { email: new Error('no'), name: async () => new Error('late') } }, '{ user { email name } }'],
  'a name like __proto__': [usual, '{ __proto__: a user { __proto__: id constructor: email } }'],
  'a string in place of a list': [{ users: 'ab', lists: ['12', [1]] }, '{ users { id } lists }'],
  'iterables in place of lists': [
    { users: new Set([user]), lists: () => [new Map([[1, 2]]).keys(), 7, new Error('no')] },
    '{ users { id } lists }',
  ],
  'promises that resolve in another order': [
    { users: [new Promise((done) => setTimeout(done, 2, user)), Promise.resolve(user)] },
    '{ users { id } }',
  ],
  'an item that fails in a list without nulls': [{ must: async () => [user, Promise.reject(new Error('no')), user] }, '{ must { id } }'],
  'types that the interface does not have': [{ node: { __typename: 'Other' }, user }, '{ node { id } user { id } }'],
  'types that are no names': [usual, '{ node { id } }', {}, { Node: { resolveType: () => 7 } }],
  'types that are no objects': [usual, '{ node { id } }', {}, { Node: { resolveType: () => 'String' } }],
  'types that do not exist': [usual, '{ node { id } }', {}, { Node: { resolveType: async () => 'Nobody' } }],
  'a list that shrinks while it is read': [{ users: shrinking }, '{ users { id } }'],
  'objects that their type does not accept': [
    usual,
    `${where} { user { id @skip(if: $if) } }`,
    { if: null },
    { User: { isTypeOf: () => false } },
  ],
  'errors that do not propagate': [{ must: [{ id: 1, must: null }, null, { must: fail(new Error('no')) }] }, 'query @experimental_disableErrorPropagation { must { id must } }'], // prettier-ignore
  'arguments that are null, omitted, or have defaults': [
    { args: JSON.stringify },
    '{ a: args b: args(b: null) c: args(in: {}) d: args(in: { b: 1 }, list: 3) }',
  ],
  'variables in arguments': [
    { args: JSON.stringify },
    'query ($n: Int = 4, $m: Int) { a: args(b: $m) b: args(in: { a: $m, b: [$n, $m] }, list: [$m]) c: args(b: $n) }',
  ],
  'a condition that is null': [
    usual,
    [
      `${where} { a user { id @skip(if: $if) } }`,
      `${where} { a b: a @include(if: $if) }`,
      `${where} { users { id @include(if: $if) } must { id @skip(if: $if) } }`,
      `${where} { user { ... @include(if: $if) { id } } node { id @skip(if: $if) } }`,
      `${where} { a user @include(if: false) { id @skip(if: $if) } }`,
      `${where} { a b: a @include(if: $if) @skip(if: true) }`,
    ],
    { if: null },
  ],
  'two equal directives, of which the first counts': [
    usual,
    '{ a b: a @skip(if: true) @skip(if: false) c: a @skip(if: false) @skip(if: true) }',
  ],
  'a condition without a value': [usual, '{ a @skip }'],
  'a condition that is no boolean': [usual, 'query ($if: String) { a @skip(if: $if) b: a @include(if: $if) }', { if: 'no' }],
};

describe('an operation has the answer of graphql-js, with a new plan, a known one, and generated code:', () => {
  for (const [what, [rootValue, texts, variables = {}, functions = {}]] of Object.entries(cases))
    it(what, async () => {
      const operation = { typeDefs, variables: variables as Readonly<Record<string, unknown>>, rootValue, functions: functions as never };

      for (const text of [texts].flat())
        for (const rowsBeforeCode of [Infinity, Infinity, 0]) await runBoth({ ...operation, text, options: { rowsBeforeCode } });
    });
});
