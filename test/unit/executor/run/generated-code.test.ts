import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { versionInfo } from 'graphql';
import type { GraphQLObjectType } from 'graphql';

import { executePlanned } from '../../../../src/executor/execute.ts';
import { executionOf, runBoth } from '../../../support/differential/both-executors.ts';

const typeDefs = `
  type Query { rows: [Row] }
  type Row { id: ID!  name: String!  age: Int  score: Float  active: Boolean  tags: [String!]  next: Row }
`;
const text = '{ rows { id name age score active __typename tags next { id } } }';
const row = { id: 1, name: 'Ann', age: 30, score: 1.5, active: true, tags: ['a'], next: { id: 'n' } };
const atOnce = { rowsBeforeCode: 0 };

describe('rows made by generated code', () => {
  it('have the keys in the order of the document, and the values of the loop', async () => {
    const { data } = await runBoth({ typeDefs, text, rootValue: { rows: [row] }, options: atOnce });

    equal(
      JSON.stringify(data),
      '{"rows":[{"id":"1","name":"Ann","age":30,"score":1.5,"active":true,"__typename":"Row","tags":["a"],"next":{"id":"n"}}]}',
    );
  });

  it('convert, refuse, await and call values that are not plain', async () => {
    const rows = [
      { ...row, id: 2.5 },
      { ...row, name: 5, age: '17', score: Number.NaN, active: 1 },
      { ...row, name: async () => 'late', tags: () => ['b', null] },
      { ...row, name: Promise.resolve(null) },
      null,
      new Error('no row'),
      Promise.resolve(row),
      'text',
    ];

    const { data, errors } = await runBoth({ typeDefs, text, rootValue: { rows }, options: atOnce });

    deepEqual(
      (data!['rows'] as ({ name: string } | null)[]).map((made) => made?.name),
      [undefined, '5', 'late', undefined, undefined, undefined, 'Ann', undefined],
    );
    equal(errors?.length, 6);
  });

  it('report an unreadable property as an error of its field only', async () => {
    const broken = {
      ...row,
      get age(): number {
        throw new Error('unreadable');
      },
    };

    const { data, errors } = await runBoth({ typeDefs, text: '{ rows { age id } }', rootValue: { rows: [broken] }, options: atOnce });

    deepEqual(data, { rows: [{ age: null, id: '1' }] });
    deepEqual(errors?.[0]?.path, ['rows', 0, 'age']);
  });

  it('read every property once, even of a row that is not plain', async () => {
    let reads = 0;
    const counted = {
      ...row,
      get age(): string {
        reads++;
        return '7';
      },
    };

    await executePlanned(executionOf({ typeDefs, text: '{ rows { age name } }', rootValue: { rows: [counted] }, options: atOnce }));

    equal(reads, 1);
  });

  for (const wide of [199, 200, 201, 250, 400, 401, 501])
    it(`have the values of the loop with ${wide} fields and nested objects`, async () => {
      const names = Array.from({ length: wide - 2 }, (_, at) => `n${at}: ${['name', 'age', 'id', 'active'][at % 4]}`);
      const nested = `{ rows { next { id ${names.join(' ')} } ${names.join(' ')} tags } }`;
      const late = { ...row, name: Promise.resolve('Late'), next: { ...row, name: async () => 'below' } };
      const given = [row, { ...row, name: null }, late, { ...row, age: 'old', next: row }];

      const { data } = await runBoth({ typeDefs, text: nested, rootValue: { rows: given }, options: atOnce });

      equal(Object.keys((data!['rows'] as object[])[2]!).length, wide);
    });

  it('call resolvers in order, and await their promises', async () => {
    const order: string[] = [];
    const noted = (name: string, value: unknown) => (): unknown => {
      order.push(name);
      return value;
    };
    const functions = {
      Row: {
        name: noted('name', 'resolved'),
        score: noted('score', Promise.resolve(2.5)),
        next: noted('next', Promise.resolve({ id: 'n', name: 'inner', score: 'bad' })),
      },
    };
    const source = {
      get age(): number {
        order.push('age');
        return 5;
      },
    };

    const { data } = await runBoth({
      typeDefs,
      functions,
      text: '{ rows { next { id } name age score } }',
      rootValue: { rows: [source, source] },
      options: atOnce,
    });

    const made = { next: { id: 'n' }, name: 'resolved', age: 5, score: 2.5 };
    deepEqual(data, { rows: [made, made] });
    deepEqual(order.slice(0, 4), ['next', 'name', 'age', 'score']);
  });

  it('are null, and leave no rejection unhandled, when the resolver of a non-null field fails', async () => {
    const functions = {
      Row: {
        age: async () => {
          throw new Error('late');
        },
        name: () => {
          throw new Error('at once');
        },
      },
    };

    const execution = executionOf({ typeDefs, functions, text: '{ rows { age name } }', rootValue: { rows: [{}] }, options: atOnce });
    const { data, errors } = await executePlanned(execution);

    equal(JSON.stringify(data), '{"rows":[null]}');
    // graphql 16 also reports the error of the other field.
    deepEqual(
      errors?.map(({ message }) => message),
      ['at once'],
    );
  });

  it('contain the finished fields at the deadline', async () => {
    let ring!: (reason: Error) => void;
    const invocation = {
      signal: new AbortController().signal,
      onCancel: (callback: (reason: Error) => void) => {
        ring = callback;
        return () => {};
      },
    };
    const functions = { Row: { age: () => new Promise(() => {}) } };
    const rows = { rows: [{ id: 1, next: { id: 2, next: new Promise(() => {}) } }] };
    const text = '{ rows { id age next { id age next { id } } } }';

    const answer = executePlanned(executionOf({ typeDefs, functions, text, rootValue: rows, options: { ...atOnce, invocation } }));
    ring(new Error('Time is up.'));
    const { data, errors } = await answer;

    equal(JSON.stringify(data), '{"rows":[{"id":"1","age":null,"next":{"id":"2","age":null,"next":null}}]}');
    deepEqual(
      errors?.map(({ message }) => message),
      ['Time is up.', 'Time is up.', 'Time is up.'],
    );
  });
});

describe('rows of an interface made by generated code', () => {
  const pets = `
    interface Pet { name: String! }
    type Dog implements Pet { name: String! barks: Boolean }
    type Cat implements Pet { name: String! lives: Int }
    type Fish implements Pet { name: String! }
    type Stone { name: String! }
    type Query { pets: [Pet] }
  `;
  const ofPets = '{ pets { __typename name ... on Dog { barks } ... on Cat { lives } } }';
  const rex = { __typename: 'Dog', name: 'Rex', barks: true };
  const tom = { __typename: 'Cat', name: 'Tom', lives: 9 };

  it('have the type of each object, beside items that are not rows', async () => {
    const given = [
      rex,
      tom,
      rex,
      { ...tom, lives: Promise.resolve(7) },
      { ...tom, lives: 'many' },
      { ...rex, name: null },
      { ...rex, name: Promise.reject(new Error('no name')) },
      { name: 'nobody' },
      { ...rex, __typename: 'Stone' },
      { ...rex, __typename: 'Unheard' },
      { ...rex, __typename: 7 },
      null,
      new Error('no pet'),
      Promise.resolve(tom),
      'text',
      rex,
    ];

    const { data, errors } = await runBoth({ typeDefs: pets, text: ofPets, rootValue: { pets: given }, options: atOnce });

    const [dog, cat] = [rex, tom].map((pet) => JSON.stringify(pet));
    const made = (data!['pets'] as unknown[]).map((pet) => JSON.stringify(pet));
    deepEqual(made.slice(0, 3), [dog, cat, dog]);
    deepEqual(made.slice(3, 5), [JSON.stringify({ ...tom, lives: 7 }), JSON.stringify({ ...tom, lives: null })]);
    deepEqual(made.slice(5), ['null', 'null', 'null', 'null', 'null', 'null', 'null', 'null', cat, 'null', dog]);
    equal(errors?.length, 9);
  });
});

describe('a resolver that generated code calls', () => {
  const list = 'type Query { rows: [Row] } type Row { id(least: Int! = 1): Int  name: String  other: [String] }';
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
  const Query = { rows: () => rows };

  it('receives the parameters that it declares, and a copy of its arguments', async () => {
    const seen: unknown[] = [];
    const Row = {
      id: (parent: { id: number }, values: Record<string, unknown>) => {
        seen.push(values);
        return parent.id;
      },
      name: (_: unknown, __: unknown, context: object, info: { path: { prev: { key: number } } }) =>
        `${info.path.prev.key} ${JSON.stringify(context)}`,
      other(this: unknown, ...given: unknown[]) {
        return [String(this), String(given.length)];
      },
    };

    const example = { typeDefs: list, functions: { Query, Row }, text: '{ rows { id name other } }' };
    await runBoth({ ...example, options: atOnce });

    equal(new Set(seen).size, 6);
    deepEqual(seen[0], seen[5]);
  });

  for (const resolve of [{}, 'text', false, null])
    it(`need not be a function, and gives the same answer as without generated code: ${JSON.stringify(resolve)}`, async () => {
      const answers = [];
      for (const rowsBeforeCode of [Infinity, 0]) {
        const options = { rowsBeforeCode };
        const execution = executionOf({ typeDefs: list, text: '{ rows { id other } }', functions: { Query }, options });
        Object.assign((execution.schema.getType('Row') as GraphQLObjectType).getFields()['id']!, { resolve });
        answers.push(JSON.stringify(await executePlanned(execution)));
      }

      equal(answers[1], answers[0]);
      equal(answers[0]!.includes('is not a function'), resolve !== null);
    });

  it('is not called with invalid arguments, although it declares none', async () => {
    const Row = { id: (parent: { id: number }) => parent.id };
    const text = 'query ($least: Int) { rows { id(least: $least) } }';

    const { data, errors } = await runBoth({
      typeDefs: list,
      functions: { Query, Row },
      text,
      variables: { least: null },
      options: atOnce,
    });

    deepEqual(data, { rows: [{ id: null }, { id: null }, { id: null }] });
    equal(errors?.length, 3);
  });

  it('is replaced from the next row on when another one is set', async () => {
    const execution = executionOf({ typeDefs: list, text: '{ rows { id } }', functions: { Query }, options: atOnce });
    const field = (execution.schema.getType('Row') as GraphQLObjectType).getFields()['id']!;
    const first = (parent: { id: number }): number => {
      field.resolve = () => 7;
      return parent.id;
    };
    const run = async (): Promise<unknown> => (await executePlanned(execution)).data?.['rows'];

    field.resolve = first as never;
    const replacedInside = await run();
    const afterwards = await run();
    delete field.resolve;
    const removed = await run();

    deepEqual(
      [replacedInside, afterwards, removed].map((made) => (made as { id: number }[]).map(({ id }) => id)),
      [
        [1, 7, 7],
        [7, 7, 7],
        [1, 2, 3],
      ],
    );
  });

  it('fails once, even if its error does not propagate', async () => {
    const Row = {
      name: () => {
        throw new Error('no name');
      },
    };
    const typeDefs = list.replace('name: String', 'name: String!');
    const text = 'query @experimental_disableErrorPropagation { rows { name id } }';
    const broken = {
      get id(): number {
        throw new Error('no id');
      },
    };
    const example = { typeDefs: typeDefs.replace('id(least: Int! = 1): Int', 'id: Int!'), functions: { Row }, text };

    const { errors } = await runBoth({ ...example, rootValue: { rows: [broken] }, options: atOnce });

    deepEqual(
      errors?.map(({ message }) => message),
      // graphql 16 does not know the directive.
      versionInfo.major < 17 ? ['no name'] : ['no name', 'no id'],
    );
  });
});
