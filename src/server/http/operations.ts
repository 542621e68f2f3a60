import { GraphQLError } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import { HeaderMap, capacityOf, deepCopyOf } from '../../shared/index.ts';
import type { AnswerSize, Invocation } from '../../shared/index.ts';
import type { Delivery } from '../operation/delivery/delivery.ts';
import { BatchAnswers } from '../operation/limits/answer-limit.ts';
import { BatchBudget } from '../operation/limits/batch-budget.ts';
import type { OperationInput } from '../operation/state.ts';
import type { GraphQLRequest, OperationOutcome } from '../operation/types.ts';
import { createContextArgument } from './context-argument.ts';
import type { CallView } from './context-argument.ts';
import { malformedRequest, notAcceptable, onlyQueriesBy, subscriptionNotPossible } from './errors.ts';
import type { HTTPCall } from './http-call.ts';
import { refusedOutcome } from './refusals.ts';
import { VariablesLimit } from './variables-limit.ts';

/** The elements of a batch; in place of a malformed one, its error. */
export type BatchElements = readonly (GraphQLRequest | GraphQLError)[];

/** One operation outside of a batch. Without a delivery it has one answer. */
export function createInput(call: HTTPCall, request: GraphQLRequest, delivery?: Delivery): OperationInput {
  return inputFor(call, viewOf(call), { request, budget: undefined, delivery });
}

/** An operation that a plugin runs; the outcome if its variables are too large. */
export function inputOfPlugin(call: HTTPCall, request: GraphQLRequest): OperationInput | OperationOutcome {
  const problem = request.variables && new VariablesLimit(call.settings.maxBodyBytes).problemOf(request.variables);
  return problem === undefined ? createInput(call, request) : refusedOutcome(call.settings.operation, malformedRequest(problem));
}

/** The operations of a batch; for a malformed element, the outcome. */
export function batchInputs(call: HTTPCall, elements: BatchElements): readonly (OperationInput | OperationOutcome)[] {
  const { negotiation, settings } = call;
  // A batch has one answer, an array.
  if (negotiation!.mediaType === undefined) throw notAcceptable();
  const answers = new BatchAnswers(capacityOf(answerSizeOf(call)), elements.length);
  const { maxTokens, maxAliases, maxCost } = settings.operation;
  const budget = new BatchBudget({ maxTokens, maxAliases, maxCost, answers });
  return elements.map((element, batchIndex) =>
    element instanceof GraphQLError
      ? refusedOutcome(settings.operation, element)
      : inputFor(call, copiedViewOf(call), { request: element, budget, batchIndex, delivery: undefined }),
  );
}

function inputFor(
  call: HTTPCall,
  view: CallView,
  { request, budget, batchIndex, delivery }: Pick<OperationInput, 'request' | 'budget' | 'batchIndex' | 'delivery'>,
): OperationInput {
  const { settings } = call;
  const head = { headers: new HeaderMap() };
  const invocation = call.invocation.clock.view({ until: 'disconnect' });
  return {
    request,
    contextArgument: settings.operation.context && createContextArgument(head, view, invocation),
    invocation,
    http: view.request,
    call: call.view,
    head,
    refuse: refusals[call.request.method] ?? (delivery?.subscriptions === true ? undefined : refuseSubscription),
    capacity: capacityOf(answerSizeOf(call)),
    budget,
    batchIndex,
    delivery,
  };
}

/** The size limits of the answer to a request. The platform's applies to the encoded body. */
export function answerSizeOf({ settings, invocation, encode }: HTTPCall): AnswerSize {
  const { resultLimit } = invocation;
  return { platform: encode === undefined ? resultLimit : { name: resultLimit.name }, maxBytes: settings.maxResultBytes };
}

/** The request and the platform's objects, or the view of them that a plugin returned. */
function viewOf(call: HTTPCall): CallView {
  const { invocation, view } = call;
  return view === undefined ? call : { request: view.request, invocation, platform: view.invocation };
}

/** Each element of a batch gets a copy, so that a user stored on it is not visible to the others. */
function copiedViewOf(call: HTTPCall): CallView {
  const view = viewOf(call);
  const { context, plugins } = call.settings.operation;
  if (context === undefined && plugins.length === 0) return view;
  const { headers, body } = view.request;
  return {
    ...view,
    request: { ...view.request, headers: HeaderMap.copyOf(headers), body: { ...body } },
    platform: new CopiedPlatform(view.platform ?? view.invocation),
  };
}

/** Copies when first read: ten copies of an event, at 17 µs each, took most of a batch's time. */
class CopiedPlatform implements Pick<Invocation, 'event' | 'context' | 'env'> {
  readonly #original: Pick<Invocation, 'event' | 'context' | 'env'>;
  readonly #copies = new Map<'event' | 'context', unknown>();

  constructor(original: Pick<Invocation, 'event' | 'context' | 'env'>) {
    this.#original = original;
  }

  get event(): unknown {
    return this.#copyOf('event');
  }

  get context(): unknown {
    return this.#copyOf('context');
  }

  /** This is not copied, because all calls of a worker share it. */
  get env(): unknown {
    return this.#original.env;
  }

  #copyOf(name: 'event' | 'context'): unknown {
    if (!this.#copies.has(name)) this.#copies.set(name, deepCopyOf(this.#original[name]));
    return this.#copies.get(name);
  }
}

type Refuse = OperationInput['refuse'];

/** The safe methods, by which only queries may run. */
const refusals: Readonly<Record<string, Refuse>> = { GET: refuseUnlessQuery('GET'), QUERY: refuseUnlessQuery('QUERY') };

function refuseUnlessQuery(method: string): Refuse {
  return ({ operation }) => (operation === 'query' ? undefined : onlyQueriesBy(method, operation));
}

function refuseSubscription({ operation }: OperationDefinitionNode): GraphQLError | undefined {
  return operation === 'subscription' ? subscriptionNotPossible() : undefined;
}
