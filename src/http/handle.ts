import { GraphQLError } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import { capacityOf } from '../message/answer-size.ts';
import type { AnswerSize } from '../message/answer-size.ts';
import { whenReady } from '../message/eventual.ts';
import type { Eventual } from '../message/eventual.ts';
import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest } from '../message/http-request.ts';
import type { HTTPResponse, StreamedResponse } from '../message/http-response.ts';
import type { Invocation } from '../message/invocation.ts';
import { deepCopyOf } from '../message/plain-object.ts';
import { deadlineExceeded, formatResult, isGraphQLError, toGraphQLError } from '../operation/errors.ts';
import type { ErrorSettings } from '../operation/errors.ts';
import { tellOfFailure } from '../operation/hooks.ts';
import { maxComparisons } from '../operation/limits/limits.ts';
import type { Delivery } from '../operation/delivery/delivery.ts';
import type { GraphQLRequest } from '../operation/graphql-request.ts';
import { runOperation } from '../operation/run.ts';
import type { OperationInput, OperationSettings } from '../operation/state.ts';
import type { WrapOperation, WrapRequest } from '../operation/around.ts';
import type { OperationOutcome } from '../operation/outcome.ts';
import type { RequestCall } from '../operation/plugin.ts';
import { BatchAnswers } from '../operation/limits/answer-limit.ts';
import { BatchBudget } from '../operation/limits/batch-budget.ts';
import { negotiateMediaType } from './accept.ts';
import type { ResponseMediaType } from './accept.ts';
import { createContextArgument } from './context-argument.ts';
import { addCORSHeaders } from './cors.ts';
import type { CORSOptions } from './cors.ts';
import { preventCSRF } from './csrf.ts';
import type { CSRFSettings } from './csrf.ts';
import { notAcceptable, onlyQueriesByGET, subscriptionNotPossible } from './errors.ts';
import type { ExplainSettings } from './explain.ts';
import { landingPageFor } from './landing.ts';
import type { LandingSettings } from './landing.ts';
import { parseGraphQLRequest } from './params.ts';
import type { ParsedRequest, RequestSettings } from './params.ts';
import { toBatchResponse, toHTTPResponse } from './response.ts';
import type { ResponseSettings } from './response.ts';
import type { Multipart } from './multipart.ts';
import type { Negotiation, Streaming } from './streaming.ts';

/** All that serving GraphQL over HTTP needs. Made once, at cold start. */
export interface HTTPSettings extends CSRFSettings, ExplainSettings, LandingSettings, RequestSettings, ResponseSettings {
  /** Writes answers in parts; undefined: there are none. */
  readonly multipart: Multipart | undefined;
  readonly cors: CORSOptions | undefined;
  /** Bytes of an answer. */
  readonly maxResultBytes: number;
  /** Undefined: no plugin wraps requests. */
  readonly wrapRequest: WrapRequest | undefined;
  /** Undefined: no plugin wraps operations. */
  readonly wrapOperation: WrapOperation | undefined;
  readonly operation: OperationSettings;
}

/** A request, and the call that brought it. */
export interface IncomingRequest {
  readonly request: HTTPRequest;
  readonly invocation: Invocation;
  /** Undefined: the platform carries no streams. */
  readonly streaming: Streaming | undefined;
  /** What plugins see of it. Undefined: none wraps requests or operations. */
  readonly call: RequestCall | undefined;
}

/** `HTTPRequest` → `HTTPResponse`. Throws for a request that is refused: {@link toErrorResponse} makes its answer. */
export function handleHTTPRequest(settings: HTTPSettings, incoming: IncomingRequest): Eventual<HTTPResponse | StreamedResponse> {
  if (incoming.request.method === 'OPTIONS') return optionsResponse(settings);
  return settings.renderLandingPage === undefined ? serveGraphQL(settings, incoming) : servePage(settings, incoming);
}

async function servePage(settings: HTTPSettings, incoming: IncomingRequest): Promise<HTTPResponse | StreamedResponse> {
  return (await landingPageFor(settings, incoming.request)) ?? serveGraphQL(settings, incoming);
}

function serveGraphQL(settings: HTTPSettings, incoming: IncomingRequest): Eventual<HTTPResponse | StreamedResponse> {
  const { request, streaming } = incoming;
  preventCSRF(settings, request);
  const accept = request.headers.get('accept');
  const negotiation = streaming?.negotiate(accept, settings.multipart);
  const mediaType = negotiation === undefined ? negotiateMediaType(accept) : negotiation.mediaType;
  return whenReady(parseGraphQLRequest(settings, request), runParsed, {
    ...incoming,
    settings,
    platform: incoming.invocation,
    negotiation,
    mediaType,
  });
}

/** What the operations of one request share. */
interface Exchange extends IncomingRequest {
  readonly settings: HTTPSettings;
  /** The platform's own objects, as the operation sees them. */
  readonly platform: Pick<Invocation, 'event' | 'context'>;
  /** Undefined: the platform carries no streams. */
  readonly negotiation: Negotiation | undefined;
  /** Of an answer in one piece. Undefined: the client reads streams only. */
  readonly mediaType: ResponseMediaType | undefined;
}

function runParsed(parsed: ParsedRequest, exchange: Exchange): Eventual<HTTPResponse | StreamedResponse> {
  if (parsed.kind === 'batch') return runBatch(parsed.elements, exchange);
  return whenReady(run(exchange, parsed.request, undefined, exchange.negotiation?.delivery), respond, exchange);
}

function respond(outcome: OperationOutcome, exchange: Exchange): HTTPResponse | StreamedResponse {
  const { settings, invocation, negotiation, mediaType = 'application/json' } = exchange;
  return negotiation === undefined ? toHTTPResponse(settings, outcome, mediaType) : negotiation.toResponse(settings, outcome, invocation);
}

/** A batch has one answer, an array. */
function runBatch(elements: readonly (GraphQLRequest | GraphQLError)[], exchange: Exchange): Eventual<HTTPResponse> {
  const { mediaType, settings } = exchange;
  if (mediaType === undefined) throw notAcceptable();
  const answers = new BatchAnswers(capacityOf(sizeOf(exchange)), elements.length);
  const budget = new BatchBudget({ ...settings.operation, maxComparisons, answers });
  const running = elements.map((element) =>
    element instanceof GraphQLError ? refused(settings.operation, element) : run(ownView(exchange), element, budget, undefined),
  );
  // `Promise.all` of what is there already takes a quarter of the time of ten small operations.
  const outcomes = running.some((one) => one instanceof Promise) ? Promise.all(running) : (running as OperationOutcome[]);
  return whenReady(outcomes, respondToBatch, exchange);
}

function respondToBatch(outcomes: readonly OperationOutcome[], exchange: Exchange): HTTPResponse {
  const { settings, mediaType = 'application/json' } = exchange;
  return toBatchResponse({ ...settings.operation, size: sizeOf(exchange) }, outcomes, mediaType);
}

/** How large the answer to a request may be. */
function sizeOf({ settings, invocation }: Exchange): AnswerSize {
  return { platform: invocation.resultLimit, maxBytes: settings.maxResultBytes };
}

/** An element's own request, event and platform context: what its hooks write there, as who is logged in, its neighbours must not read. */
function ownView(exchange: Exchange): Exchange {
  const { request, platform, settings } = exchange;
  if (settings.operation.context === undefined && settings.operation.plugins.length === 0) return exchange;
  const { event, context } = platform;
  return {
    ...exchange,
    request: { ...request, headers: new HeaderMap(request.headers), body: { ...request.body } },
    platform: { event: deepCopyOf(event), context: deepCopyOf(context) },
  };
}

function run(
  exchange: Exchange,
  operation: GraphQLRequest,
  budget: BatchBudget | undefined,
  delivery: Delivery | undefined,
): Eventual<OperationOutcome> {
  const { settings, request, invocation, call } = exchange;
  const head = { headers: new HeaderMap() };
  const input: OperationInput = {
    request: operation,
    contextArgument: settings.operation.context && createContextArgument(head, exchange),
    life: invocation,
    http: request,
    head,
    refuse: request.method === 'GET' ? refuseUnlessQuery : delivery?.subscriptions === true ? undefined : refuseSubscription,
    capacity: capacityOf(sizeOf(exchange)),
    budget,
    delivery,
  };
  if (settings.wrapOperation === undefined || call === undefined) return runInput(input, exchange);
  return settings
    .wrapOperation(input, call, (wrapped) => runInput(wrapped, exchange))
    .catch((thrown: unknown) => ({ ...refused(settings.operation, toGraphQLError(thrown)), head }));
}

function runInput(input: OperationInput, { settings, request, invocation }: Exchange): Eventual<OperationOutcome> {
  return settings.explain?.({ settings, request, invocation, input, run: runOperation }) ?? runOperation(settings.operation, input);
}

/** What is needed to answer when there may be no server yet. */
export interface RefusalSettings extends ResponseSettings {
  readonly cors: CORSOptions | undefined;
  readonly operation: ErrorSettings;
}

/** The answer to a request that was refused or failed outside of any operation. */
export function toErrorResponse(settings: RefusalSettings, request: HTTPRequest | undefined, thrown: unknown): HTTPResponse {
  const mediaType = mediaTypeOfError(request);
  try {
    return toHTTPResponse(settings, refused(settings.operation, toGraphQLError(thrown)), mediaType);
  } catch (failure) {
    // JSON cannot carry what formatError made of it, a BigInt for one: it is not asked again.
    return toHTTPResponse(settings, refused({ ...settings.operation, formatError: undefined }, toGraphQLError(failure)), mediaType);
  }
}

/** The answer of a request that there was no more time for. */
export function toLateResponse(settings: RefusalSettings, request: HTTPRequest | undefined): HTTPResponse {
  return toErrorResponse(settings, request, deadlineExceeded());
}

/** `invalidRequestWasReceived` of every plugin. A hook that fails is logged: the request has its answer already. */
export async function reportRefusal({ plugins, logger }: OperationSettings, thrown: unknown): Promise<void> {
  // Anything else that was thrown is the server's own failure, not an invalid request.
  if (!isGraphQLError(thrown) || thrown.extensions['code'] === 'INTERNAL_SERVER_ERROR') return;
  const told = plugins.map((plugin) =>
    tellOfFailure(logger, 'invalidRequestWasReceived', () => plugin.invalidRequestWasReceived?.({ error: thrown, logger })),
  );
  await Promise.all(told);
}

/** The last touch, for answers and refusals alike: CORS, and no body where the method has none. */
export function finishResponse<T extends HTTPResponse | StreamedResponse>(
  { cors, operation }: RefusalSettings,
  request: HTTPRequest,
  response: T,
): Eventual<T | HTTPResponse> {
  const finished = request.method === 'HEAD' ? { ...response, body: null } : response;
  return cors === undefined ? finished : addCORSHeaders(cors, request, response.headers, operation.logger).then(() => finished);
}

function refused(settings: ErrorSettings, error: GraphQLError): OperationOutcome {
  const head = { headers: new HeaderMap() };
  try {
    return { result: formatResult(settings, { errors: [error] }), errors: [error], head, operation: undefined, source: undefined };
  } catch (thrown) {
    // formatError failed. It is not asked about that, and in a batch the neighbours are not taken along.
    return refused({ ...settings, formatError: undefined }, toGraphQLError(thrown));
  }
}

function refuseUnlessQuery({ operation }: OperationDefinitionNode): GraphQLError | undefined {
  return operation === 'query' ? undefined : onlyQueriesByGET(operation);
}

function refuseSubscription({ operation }: OperationDefinitionNode): GraphQLError | undefined {
  return operation === 'subscription' ? subscriptionNotPossible() : undefined;
}

function optionsResponse(settings: HTTPSettings): HTTPResponse {
  return { status: settings.cors?.optionsSuccessStatus ?? 204, headers: new HeaderMap({ allow: 'GET, POST, OPTIONS' }), body: null };
}

/** Errors follow Accept like answers do; where it allows neither type, JSON is the kinder choice. */
function mediaTypeOfError(request: HTTPRequest | undefined): ResponseMediaType {
  try {
    return negotiateMediaType(request?.headers.get('accept') ?? null);
  } catch {
    return 'application/json';
  }
}
