import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as graphql from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import { graphqlJSExecutor } from '../../../../src/executor/graphql-js.ts';
import { executePlanned } from '../../../../src/executor/execute.ts';
import type { PlannedExecution } from '../../../../src/executor/execute.ts';
import { executionOf } from '../../../support/differential/both-executors.ts';
import { reachableFrom } from '../../../support/reachable.ts';

const typeDefs = `
  interface Node { id: ID }
  type Item implements Node { id: ID  owner(filter: Filter = { name: "any" }): Owner  fails: Int }
  type Owner { name: String }
  input Filter { name: String }
  enum Order { UP DOWN }
  type Query { items(order: Order = UP, first: Int): [Item]  nodes: [Node]  item: Item }
`;

const rootValue = { items: [{}, {}, {}], nodes: [{}, {}], item: {} };

describe('the objects that resolvers can reach through info', () => {
  // graphql-js shares the same objects for a cached document: the document, the schema (with defaults of arguments), and the caller's objects.
  it('are not shared with the next execution, except the document, the schema and the objects passed to both', async () => {
    const text = `query Q($first: Int = 2, $filter: Filter = { name: "x" }) {
      nodes { ...id } items(first: $first) { owner(filter: $filter) { name } fails ...id } item { owner(filter: { name: "y" }) { name } }
    } fragment id on Node { id }`;
    const [execution, infos] = watched(text);
    const known = reachableFrom([
      execution.schema,
      execution.document,
      execution.rootValue,
      execution.contextValue,
      graphql,
      globalThis,
      new Error('with its accessors'),
    ]);
    const reached = async (): Promise<Set<object>> => {
      infos.length = 0;
      const result = await executePlanned(execution);
      equal(infos.length, 2 + 3 + 1);
      return reachableFrom([...infos, ...infos.flatMap(asyncParts), result], known);
    };

    const first = await reached();
    const second = await reached();

    deepEqual([...first].filter((object) => second.has(object) && !isEmptyForGood(object)).map(nameOf), []);
  });

  it('have the same prototypes as in graphql-js', async () => {
    const [execution, infos] = watched('query { item { owner { name } } }');

    await executePlanned(execution);
    await graphqlJSExecutor().executeWithGraphQLJS(execution);

    const [planned, theirs] = infos.map(({ fragments, variableValues }) =>
      [fragments, variableValues, ...Object.values(variableValues as object)].map((record) => Object.getPrototypeOf(record) as unknown),
    );
    deepEqual(planned, theirs);
  });
});

/** Creates an execution whose resolvers record their `info`. */
function watched(text: string): [execution: PlannedExecution, infos: GraphQLResolveInfo[]] {
  const infos: GraphQLResolveInfo[] = [];
  const note = (info: GraphQLResolveInfo): void => void infos.push(info);
  const owner = (_: unknown, __: unknown, ___: unknown, info: GraphQLResolveInfo): object => (note(info), { name: 'alice' });
  const resolveType = (_: unknown, __: unknown, info: GraphQLResolveInfo): string => (note(info), 'Item');
  const fails = (): never => {
    throw new Error('failed');
  };
  const functions = { Item: { owner, fails }, Node: { resolveType } };
  return [executionOf({ typeDefs, functions, text, rootValue, options: { contextValue: { user: 'alice' } } }), infos];
}

/** True for the prototypes of results, which are empty and frozen. */
function isEmptyForGood(object: object): boolean {
  return Object.isFrozen(object) && Reflect.ownKeys(object).length === 0 && Object.getPrototypeOf(object) === null;
}

/** Describes an object briefly for an assertion's message, which would otherwise print everything in it. */
function nameOf(object: object): string {
  return `${object.constructor?.name}: ${Object.keys(object).join(', ').slice(0, 100)}`;
}

/** Returns the results of the functions in `info` of graphql 17. */
function asyncParts(info: GraphQLResolveInfo): unknown[] {
  return [info.getAbortSignal?.(), info.getAsyncHelpers?.()];
}
