import assert from 'node:assert/strict';
import { test } from 'node:test';

import { buildSchema, execute, parse } from 'graphql';

import { markResolvers } from '../../../src/tools/explain/resolver-paths.ts';
import { executeWithDeadline } from '../../../src/executor/execution/graphql-js/execute-with-deadline.ts';

test('wraps a resolver once, also when the deadline of graphql-js wraps it too', () => {
  const schema = buildSchema('type Query { name: String }');
  const field = schema.getQueryType()!.getFields()['name']!;
  field.resolve = () => 'x';
  const invocation = { isOver: false, signal: new AbortController().signal, onCancel: () => () => {}, onLastMoment: () => () => {} };
  const explainAndExecute = (text: string): unknown => {
    const document = parse(text);
    markResolvers(schema, document);
    void executeWithDeadline(execute, { schema, document }, { invocation, answerLimit: undefined });
    return field.resolve;
  };
  const wrapped = explainAndExecute('{ name }');

  const wrappedLater = explainAndExecute('{ other: name }');

  assert.equal(wrappedLater, wrapped);
});
