import { deepEqual } from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';

import { buildSchema, parse, versionInfo } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { executePlanned } from '../../../../src/executor/execute.ts';
import type { PlannedExecution } from '../../../../src/executor/execute.ts';

const directives = /* GraphQL */ `
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean! = true, label: String, initialCount: Int = 0) on FIELD
`;
const typeDefs = 'type Query { name: String  list: [Int]  self: Query }';
const text = /* GraphQL */ `
  query ($late: Boolean = true) {
    ... @defer(if: $late, label: "top") {
      name
    }
    ...Below @defer
    self {
      ...Below @defer(if: false)
      ... @defer {
        name
      }
    }
  }
  fragment Below on Query {
    list @stream(initialCount: 1)
  }
`;
const rootValue = { name: 'x', list: [1, 2, 3], self: { name: 'y', list: [4] } };
const expected = { name: 'x', list: [1, 2, 3], self: { list: [4], name: 'y' } };

describe('an operation with @defer and @stream and a single result', () => {
  it('runs by a plan, and its result is complete', async () => {
    const execution = executionOf(buildSchema(typeDefs + directives), text);

    deepEqual(asClient(await executePlanned(execution)), { data: expected });
  });

  it('publishes the events of graphql-js', { skip: versionInfo.major < 17 && 'graphql 16 has no channels' }, async () => {
    const told: unknown[] = [];
    const listener = (message: unknown): void => void told.push((message as { operationType: string }).operationType);
    const channel = tracingChannel('graphql:execute');

    channel.start.subscribe(listener);
    try {
      deepEqual(asClient(await executePlanned(executionOf(buildSchema(typeDefs + directives), text))), { data: expected });
    } finally {
      channel.start.unsubscribe(listener);
    }

    deepEqual(told, ['query']);
  });
});

function executionOf(schema: GraphQLSchema, source: string): PlannedExecution {
  const document: DocumentNode = parse(source);
  const operation = document.definitions[0] as OperationDefinitionNode;
  return { schema, document, operation, rootValue, contextValue: {}, variableValues: {}, hideSuggestions: true };
}

function asClient(result: ExecutionResult): unknown {
  return JSON.parse(JSON.stringify(result));
}
