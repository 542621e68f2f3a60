import { deepEqual, equal, rejects } from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';

import { defaultFieldResolver, execute, GraphQLObjectType, GraphQLSchema, parse, versionInfo } from 'graphql';
import type { GraphQLResolveInfo, OperationDefinitionNode } from 'graphql';

import { coercedVariables, executePlanned, prepareExecution } from '../../../src/executor/execute.ts';
import { executionOf, runBoth } from '../../support/differential/both-executors.ts';
import { isMemo } from '../../support/differential/compare-coercion.ts';

const typeDefs = 'type Query { name: String  other: String!  slow: String }';

describe('an operation runs by a plan', () => {
  it('which rejects for an invalid schema, as in graphql-js', async () => {
    const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: {} }) });
    const document = parse('{ __typename }');
    const operation = document.definitions[0] as OperationDefinitionNode;

    await rejects(
      async () =>
        executePlanned({ schema, document, operation, rootValue: {}, contextValue: {}, variableValues: {}, hideSuggestions: true }),
      /Type Query must define one or more fields/,
    );
  });

  it('with the value of a thenable whose then() returns nothing, also if the channel of its fields has subscribers', async (t) => {
    // oxlint-disable-next-line unicorn/no-thenable -- what is tested
    const thenable = { then: (resolve: (value: string) => void) => void setTimeout(resolve, 1, 'x') };
    const listeners = { start: () => {} };
    const channel = tracingChannel('graphql:resolve');
    channel.subscribe(listeners as never);
    t.after(() => channel.unsubscribe(listeners as never));

    const { data } = await executePlanned(executionOf({ typeDefs, text: '{ name }', rootValue: { name: () => thenable } }));

    equal(data?.['name'], 'x');
  });

  it('whose resolvers run in the stores that a listener binds, one for each field, also after a wait', async (t) => {
    const { start } = tracingChannel('graphql:resolve');
    const store = new AsyncLocalStorage<string>();
    start.bindStore(store, (context) => (context as { readonly fieldName: string }).fieldName);
    t.after(() => start.unbindStore(store));
    const late = async (): Promise<unknown> => {
      await Promise.resolve();
      return store.getStore();
    };
    const rootValue = { name: () => store.getStore(), late };

    const { data } = await executePlanned(
      executionOf({ typeDefs: 'type Query { name: String late: String }', text: '{ name late }', rootValue }),
    );

    deepEqual([{ ...data }, store.getStore()], [{ name: 'name', late: 'late' }, undefined]);
  });

  it('whose invalid variables graphql-js does not read if they are too large to explain', () => {
    let calls = 0;
    const refuse = (): never => {
      calls++;
      throw new Error('Wrong');
    };
    const functions = { Wrong: { parseValue: refuse, coerceInputValue: refuse } };
    const answerLimit = { capacity: { maxBytes: Infinity, carrier: 'none' }, operations: 1 };
    const execution = executionOf({
      typeDefs: 'scalar Wrong type Query { name(list: [Wrong!]): String }',
      functions,
      text: 'query ($list: [Wrong!]) { name(list: $list) }',
      variables: { list: Array.from({ length: 5_000 }, () => 1) },
      options: { answerLimit },
    });

    const prepared = prepareExecution(execution);

    equal(coercedVariables({ ...execution, prepared }), undefined);
    equal(calls, 1);
  });
});

describe('a planned operation', () => {
  it('passes everything to resolvers that graphql-js passes', async () => {
    const seen: string[] = [];
    const name = (source: unknown, args: unknown, context: unknown, info: GraphQLResolveInfo): string => {
      seen.push(
        JSON.stringify(
          [
            [source, args, context, Object.keys(info), info.path, info.fieldNodes.length],
            [info.fieldName, String(info.returnType), info.parentType.name],
            info.variableValues,
            Object.keys(info.fragments),
            info.operation.name?.value,
            info.rootValue,
            info.schema instanceof GraphQLSchema,
          ],
          (key, value: unknown) => (isMemo(key) ? undefined : value),
        ),
      );
      return defaultFieldResolver(source, args, context, info) as string;
    };
    const text = 'query Q($a: Int = 1, $b: Int) { ...F nick: name } fragment F on Query { nick: name }';

    await runBoth({
      typeDefs: 'type Query { name(a: Int, b: Int): String }',
      functions: { Query: { name } },
      text,
      variables: { b: 2 },
      rootValue: { name: 'x' },
    });

    equal(seen.length, 2);
    equal(seen[0], seen[1]);
  });

  it(
    'gives resolvers helpers, and a signal that aborts after the answer',
    { skip: versionInfo.major < 17 && 'new in graphql 17' },
    async () => {
      let signal: AbortSignal | undefined;
      const resolve = async (_: unknown, __: unknown, ___: unknown, info: GraphQLResolveInfo): Promise<string> => {
        signal = info.getAbortSignal();
        const [value] = await info.getAsyncHelpers().promiseAll([Promise.resolve('x')]);
        info.getAsyncHelpers().track([Promise.reject(new Error('aside'))]);
        return `${value} ${signal?.aborted}`;
      };
      const execution = executionOf({ typeDefs, functions: { Query: { name: resolve } }, text: '{ name }' });

      const { data } = await executePlanned(execution);

      equal(data?.['name'], 'x false');
      equal(signal?.aborted, true);
      deepEqual(JSON.stringify(data), JSON.stringify((await execute(execution as Parameters<typeof execute>[0])).data));
    },
  );
});
