import { equal, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLString } from 'graphql';
import type { GraphQLFieldMap, GraphQLInputObjectType, GraphQLObjectType } from 'graphql';

import { executePlanned } from '../../../src/execution/planned-executor.ts';
import { executionOf } from '../../support/differential/both-executors.ts';

type Fields = GraphQLFieldMap<unknown, unknown>;

const changes: readonly (readonly [what: string, change: (thing: Fields, query: Fields) => void, after: string])[] = [
  ['the type of a field', (thing) => Object.assign(thing['count']!, { type: GraphQLString }), '{"things":[{"count":"1","size":1}]}'],
  ['a field', (thing, query) => void (thing['count'] = query['half']!), '{"things":[{"count":2.5,"size":1}]}'],
  ['a field that is taken away', (thing) => void delete thing['count'], '{"things":[{"size":1}]}'],
  [
    'the default of an argument',
    (thing) => Object.assign(thing['size']!.args[0]!, { defaultValue: 7, default: undefined, _memoizedCoercedDefaultValue: undefined }),
    '{"things":[{"count":1,"size":7}]}',
  ],
  ['the resolver of a field', (_, query) => Object.assign(query['things']!, { resolve: () => [] }), '{"things":[]}'],
];

describe('a schema that is changed after an operation has run on it', () => {
  for (const [what, change, after] of changes) {
    it(`is run as it is now: ${what}`, async () => {
      const typeDefs = 'type Query { things: [Thing] half: Float } type Thing { count: Int size(of: Int = 1): Int }';
      const functions = { Query: { half: () => 2.5 }, Thing: { size: (_: unknown, { of }: { of: number }) => of } };
      const execution = executionOf({ typeDefs, functions, text: '{ things { count size } }', rootValue: { things: [{ count: 1 }] } });
      equal(JSON.stringify((await executePlanned(execution)).data), '{"things":[{"count":1,"size":1}]}');
      const fieldsOf = (name: string): Fields => (execution.schema.getType(name) as GraphQLObjectType).getFields() as Fields;

      change(fieldsOf('Thing'), fieldsOf('Query'));

      equal(JSON.stringify((await executePlanned(execution)).data), after);
    });
  }

  it('is looked at once for each operation, however many objects have the defaults of a large input type', async () => {
    const fields = Array.from({ length: 50 }, (_, at) => `field${at}: Int`).join(' ');
    const typeDefs = `input Filter { ${fields} name: String = "x" } type Query { things: [Thing] } type Thing { name(of: Filter = {}, also: Filter): String }`;
    const functions = { Thing: { name: (_: unknown, { of, also }: { of: object; also: object }) => JSON.stringify([of, also]) } };
    const text = '{ things { a: name b: name(also: { field3: 1 }) } }';
    const execution = executionOf({ typeDefs, functions, text, rootValue: { things: Array.from({ length: 100 }, () => ({})) } });
    let looks = 0;
    for (const field of Object.values((execution.schema.getType('Filter') as GraphQLInputObjectType).getFields())) {
      const { type } = field;
      // The default has a name alone: no other field need be looked at for each object.
      if (field.name === 'name') continue;
      Object.defineProperty(field, 'type', { get: () => (looks++, type) });
    }
    await executePlanned(execution);
    looks = 0;

    const { data } = await executePlanned(execution);

    equal(
      JSON.stringify((data as any).things[99]),
      JSON.stringify({ a: '[{"name":"x"},null]', b: '[{"name":"x"},{"field3":1,"name":"x"}]' }),
    );
    ok(looks <= 50, `${looks} looks`);
  });
});
