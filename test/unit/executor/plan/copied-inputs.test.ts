import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLScalarType, versionInfo } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';

const typeDefs = `
  scalar Any
  input Filter { tags: [String] = ["a"], any: Any = { deep: [1] }, order: Order = UP, more: [Filter] }
  # Every object has something of that name, so that graphql-js coerces it.
  input Odd { constructor: String, tags: [String] = ["a"] }
  input Outer { filter: Filter = {}, list: [Inner] = [{}] }
  input Inner { names: [String] = ["n"], any: Any = [1] }
  enum Order { UP }
  type Query { list(filter: Filter = { tags: ["b"] }, any: Any = [1], odd: Odd, outer: Outer, outers: [Outer] = [{}]): String }
  type Subscription { ticks(filter: Filter = { tags: ["c"] }): String }
`;

const up = { name: 'up' };

/** Modifies every list and object in a value. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null || value === up) return;
  for (const part of Object.values(value)) spoil(part);
  if (Array.isArray(value)) value.push('spoilt');
  else Reflect.set(value, 'spoilt', true);
}

function careless(seen: string[]): (parent: unknown, values: object, context: unknown, info: GraphQLResolveInfo) => string {
  return (_parent, values, _context, { variableValues }) => {
    const text = JSON.stringify([values, variableValues.coerced ?? variableValues]);
    seen.push(text);
    spoil(values);
    spoil(variableValues.coerced ?? variableValues);
    return text;
  };
}

const any = new GraphQLScalarType({ name: 'Any' });

/** Returns the arguments that the resolvers of three equal requests received. */
async function givenBy(options: ServerOptions, body: object, accept = 'application/json'): Promise<string[]> {
  const seen: string[] = [];
  const resolvers = {
    Any: any,
    Order: { UP: up },
    Query: { list: careless(seen) },
    Subscription: {
      ticks: {
        subscribe: async function* (...given: Parameters<ReturnType<typeof careless>>) {
          yield { ticks: careless(seen)(...given) };
        },
      },
    },
  };
  const handler = createHandler({ typeDefs, resolvers, ...options } as Parameters<typeof createHandler>[0]);
  for (let request = 0; request < 3; request++) {
    const headers = { 'content-type': 'application/json', accept };
    const response = await handler(new Request('http://localhost/', { method: 'POST', body: JSON.stringify(body), headers }));
    await response.text();
  }
  return seen;
}

const inVariables = {
  query: 'query ($f: Filter = {}, $any: Any = { a: [] }) { list(filter: $f, any: $any) }',
  variables: { f: { more: [{}] } },
};

describe('a resolver that modifies its arguments does not change those of the next user', () => {
  for (const [name, body] of Object.entries({
    'the default of an argument': { query: '{ list }' },
    'the default of an input field in a literal': { query: '{ list(filter: { more: [{}, {}] }) }' },
    'the default of an input field in a variable': inVariables,
    'defaults in a default': { query: 'query ($outer: Outer) { list(outer: $outer) }', variables: { outer: {} } },
    'defaults in the default of a literal': { query: '{ list(outer: { list: [{}] }, outers: {}) }' },
    'defaults in place of a variable': {
      query: 'query ($f: Filter, $any: Any, $i: [Inner]) { list(filter: $f, any: $any, outer: { list: $i }) }',
    },
    'defaults in the default of a variable': {
      query: 'query ($outer: Outer = { list: {} }, $o: [Outer] = [{}]) { list(outer: $outer, outers: $o) }',
    },
    'the default of a variable': { query: inVariables.query },
    'the default of an input field that graphql-js coerces': {
      query: 'query ($odd: Odd) { list(odd: $odd) }',
      variables: { odd: { constructor: 'x' } },
    },
  })) {
    it(name, async () => {
      const seen = await givenBy({}, body);

      equal(seen.length, 3);
      deepEqual([...new Set(seen)], [seen[0]]);
    });
  }

  it('the arguments of a subscription', async () => {
    const seen = [
      ...(await givenBy({}, { query: 'subscription { ticks }' }, 'text/event-stream')),
      ...(await givenBy({}, { query: 'subscription { ticks }' }, 'text/event-stream')),
    ];

    equal(seen.length, 6);
    deepEqual([...new Set(seen)], [seen[0]]);
  });

  it('the arguments of an answer in parts', { skip: versionInfo.major < 17 && 'only on 17' }, async () => {
    const options = { incrementalDelivery: incrementalDelivery() };

    const seen = await givenBy(
      options,
      { ...inVariables, query: inVariables.query.replace('list', '... @defer { list').concat(' }') },
      'multipart/mixed',
    );

    equal(seen.length, 3);
    deepEqual([...new Set(seen)], [seen[0]]);
  });

  it('but the value of an enum is the one in the schema', async () => {
    const values: unknown[] = [];
    const list = (_parent: unknown, { filter }: { filter: { order: unknown } }): void => void values.push(filter.order);

    await givenBy({ resolvers: { Any: any, Order: { UP: up }, Query: { list } } } as never, {
      query: 'query ($f: Filter) { list(filter: $f) }',
      variables: { f: { order: 'UP' } },
    });

    equal(values.length, 3);
    equal(
      values.every((value) => value === up),
      true,
    );
  });
});
