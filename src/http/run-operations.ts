import { GraphQLError } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import { capacityOf } from '../message/answer-size.ts';
import type { AnswerSize } from '../message/answer-size.ts';
import { rescued, whenReady } from '../message/eventual.ts';
import type { Eventual } from '../message/eventual.ts';
import { HeaderMap } from '../message/header-map.ts';
import type { HTTPResponse } from '../message/http-messages.ts';
import type { Invocation } from '../message/invocation.ts';
import { deepCopyOf } from '../message/plain-object.ts';
import { toGraphQLError } from '../operation/errors.ts';
import { maxComparisons } from '../operation/limits/limits.ts';
import type { Delivery } from '../operation/delivery/delivery.ts';
import type { RunningOperation } from '../operation/around.ts';
import type { GraphQLRequest, OperationOutcome } from '../operation/types.ts';
import { runOperation } from '../operation/run.ts';
import type { OperationInput } from '../operation/state.ts';
import { BatchAnswers } from '../operation/limits/answer-limit.ts';
import { BatchBudget } from '../operation/limits/batch-budget.ts';
import { createContextArgument } from './context-argument.ts';
import { notAcceptable, onlyQueriesBy, subscriptionNotPossible } from './errors.ts';
import { toBatchResponse } from './response.ts';
import type { HTTPCall } from './http-call.ts';
import { refused } from './refusals.ts';

/** Runs the one operation of a request. */
export function runSingle(request: GraphQLRequest, httpCall: HTTPCall): Eventual<OperationOutcome> {
  return run(httpCall, request, undefined, httpCall.negotiation?.delivery);
}

/** A batch has one answer, an array. */
export function runBatch(elements: readonly (GraphQLRequest | GraphQLError)[], httpCall: HTTPCall): Eventual<HTTPResponse> {
  const { mediaType, settings } = httpCall;
  if (mediaType === undefined) throw notAcceptable();
  const answers = new BatchAnswers(capacityOf(sizeOf(httpCall)), elements.length);
  const { maxTokens, maxAliases, maxCost } = settings.operation;
  const budget = new BatchBudget({ maxTokens, maxComparisons, maxAliases, maxCost, answers });
  const running = elements.map((element) =>
    element instanceof GraphQLError ? refused(settings.operation, element) : run(ownView(httpCall), element, budget, undefined),
  );
  // `Promise.all` of what is there already takes a quarter of the time of ten small operations.
  const outcomes = running.some((one) => one instanceof Promise) ? Promise.all(running) : (running as OperationOutcome[]);
  return whenReady(outcomes, respondToBatch, httpCall);
}

function respondToBatch(outcomes: readonly OperationOutcome[], httpCall: HTTPCall): HTTPResponse {
  const { settings, mediaType = 'application/json' } = httpCall;
  return toBatchResponse({ errors: settings.operation, size: sizeOf(httpCall) }, outcomes, mediaType);
}

/** How large the answer to a request may be. */
function sizeOf({ settings, invocation }: HTTPCall): AnswerSize {
  return { platform: invocation.resultLimit, maxBytes: settings.maxResultBytes };
}

/** An element's own request, event and platform context: its hooks may write there who is logged in, and its neighbours must not read that. */
function ownView(httpCall: HTTPCall): HTTPCall {
  const { request, platform, settings } = httpCall;
  if (settings.operation.context === undefined && settings.operation.plugins.length === 0) return httpCall;
  return {
    ...httpCall,
    request: { ...request, headers: HeaderMap.copyOf(request.headers), body: { ...request.body } },
    platform: new OwnPlatform(platform),
  };
}

/** Copied when an element reads them: ten copies of an event were 17 µs each, and most of a batch's time. Nobody is given the original to write to. */
class OwnPlatform implements Pick<Invocation, 'event' | 'context' | 'env'> {
  readonly #original: Pick<Invocation, 'event' | 'context' | 'env'>;
  #event: { readonly copy: unknown } | undefined = undefined;
  #context: { readonly copy: unknown } | undefined = undefined;

  constructor(original: Pick<Invocation, 'event' | 'context' | 'env'>) {
    this.#original = original;
  }

  get event(): unknown {
    return (this.#event ??= { copy: deepCopyOf(this.#original.event) }).copy;
  }

  /** All calls of a worker have the same: it is not copied. */
  get env(): unknown {
    return this.#original.env;
  }

  get context(): unknown {
    return (this.#context ??= { copy: deepCopyOf(this.#original.context) }).copy;
  }
}

function run(
  httpCall: HTTPCall,
  operation: GraphQLRequest,
  budget: BatchBudget | undefined,
  delivery: Delivery | undefined,
): Eventual<OperationOutcome> {
  const { settings, request, invocation, call } = httpCall;
  const head = { headers: new HeaderMap() };
  const input: OperationInput = {
    request: operation,
    contextArgument: settings.operation.context && createContextArgument(head, httpCall),
    invocation,
    http: request,
    head,
    refuse: refusals[request.method] ?? (delivery?.subscriptions === true ? undefined : refuseSubscription),
    capacity: capacityOf(sizeOf(httpCall)),
    budget,
    delivery,
  };
  if (settings.wrapOperation === undefined || call === undefined) return runInput(input, httpCall);
  return rescued(wrapInput, refuseInput, { input, http: call, run: runInput, state: httpCall });
}

function wrapInput(running: RunningOperation<HTTPCall>): Eventual<OperationOutcome> {
  return running.state.settings.wrapOperation!(running);
}

/** A plugin has failed. */
function refuseInput(thrown: unknown, { input, state }: RunningOperation<HTTPCall>): OperationOutcome {
  return { ...refused(state.settings.operation, toGraphQLError(thrown)), head: input.head };
}

function runInput(input: OperationInput, { settings, request, invocation }: HTTPCall): Eventual<OperationOutcome> {
  return settings.explain?.({ settings, request, invocation, input, run: runOperation }) ?? runOperation(settings.operation, input);
}

type Refuse = OperationInput['refuse'];

/** By the methods that are safe. */
const refusals: Readonly<Record<string, Refuse>> = { GET: refuseUnlessQuery('GET'), QUERY: refuseUnlessQuery('QUERY') };

function refuseUnlessQuery(method: string): Refuse {
  return ({ operation }) => (operation === 'query' ? undefined : onlyQueriesBy(method, operation));
}

function refuseSubscription({ operation }: OperationDefinitionNode): GraphQLError | undefined {
  return operation === 'subscription' ? subscriptionNotPossible() : undefined;
}
