import { GraphQLError } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import { Facts, HeaderMap, capacityOf } from '../../shared/index.ts';
import type { AnswerSize } from '../../shared/index.ts';
import type { ArrivedCall } from '../call.ts';
import { OperationLife } from '../lifetime.ts';
import type { Delivery } from '../operation/operation.ts';
import type { Operation } from '../operation/operation.ts';
import type { GraphQLRequest } from '../operation/types.ts';
import { createContextArgument } from './context-argument.ts';
import { malformedRequest, onlyQueriesBy, subscriptionNotPossible } from './errors.ts';
import type { BatchElements } from './params.ts';
import { VariablesLimit } from './body.ts';

/** An operation that a plugin runs. */
export function createOperationOfPlugin(call: ArrivedCall, request: GraphQLRequest): Operation {
  const problem = request.variables && new VariablesLimit(call.settings.maxBodyBytes).problemOf(request.variables);
  return createOperation(call, problem === undefined ? request : malformedRequest(problem));
}

/** The operations of a batch. */
export function createBatch(call: ArrivedCall, elements: BatchElements): readonly Operation[] {
  return elements.map((element, batchIndex) => createOperation(call, element, { operations: elements.length, batchIndex }));
}

interface OperationParts {
  /** Those of the batch. Default: 1 */
  readonly operations?: number;
  readonly batchIndex?: number;
  /** Undefined: it has one answer. */
  readonly delivery?: Delivery | undefined;
}

/** The record of an operation. One that cannot be read has its error. */
export function createOperation(
  call: ArrivedCall,
  given: GraphQLRequest | GraphQLError,
  { operations = 1, batchIndex, delivery }: OperationParts = {},
): Operation {
  const { view } = call;
  const { operation: settings } = call.settings;
  // A new object, because plugins may write to it, or use it as a key.
  const request = given instanceof GraphQLError ? { ...unreadable } : given;
  const head = { headers: new HeaderMap() };
  const invocation = new OperationLife(call.life, 'disconnect');
  return {
    settings,
    request,
    problem: given instanceof GraphQLError ? given : undefined,
    contextArgument: settings.context && createContextArgument(head, call, invocation),
    invocation,
    watchCall: undefined,
    http: view === undefined ? call.request : view.request,
    seen: view && { request, response: head, call: view, facts: new Facts(), requestIsBatched: batchIndex !== undefined, batchIndex },
    observer: undefined,
    head,
    refuse: refusals[call.request.method] ?? (delivery?.subscriptions === true ? undefined : refuseSubscription),
    capacity: capacityOf(answerSizeOf(call)),
    operations,
    batchIndex,
    delivery,
    contextValue: undefined,
    hooks: undefined,
    source: undefined,
    document: undefined,
    node: undefined,
    execution: undefined,
    isExecuting: false,
    timeIsUp: undefined,
    result: undefined,
    ended: undefined,
    stream: undefined,
    wrapped: undefined,
    outcome: undefined,
    allowance: undefined,
    formatted: undefined,
  };
}

const unreadable: GraphQLRequest = { query: undefined, operationName: undefined, variables: undefined, extensions: undefined };

/** The size limits of the answer to a request. The platform's applies to the encoded body. */
export function answerSizeOf({ settings, adapter, encode }: ArrivedCall): AnswerSize {
  return { platform: encode === undefined ? adapter : { name: adapter.name }, maxBytes: settings.maxResultBytes };
}

type Refuse = Operation['refuse'];

/** The safe methods, by which only queries may run. */
const refusals: Readonly<Record<string, Refuse>> = { GET: refuseUnlessQuery('GET'), QUERY: refuseUnlessQuery('QUERY') };

function refuseUnlessQuery(method: string): Refuse {
  return ({ operation }) => (operation === 'query' ? undefined : onlyQueriesBy(method, operation));
}

function refuseSubscription({ operation }: OperationDefinitionNode): GraphQLError | undefined {
  return operation === 'subscription' ? subscriptionNotPossible() : undefined;
}
