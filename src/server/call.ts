import { GraphQLError } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import type { HTTPRequest, HTTPResponse, Invocation, Milliseconds, ResponseHead, StreamedResponse, AnswerSize } from '../shared/index.ts';
import type { HTTPSettings } from './http/http-settings.ts';
import type { Streaming } from './http/response.ts';
import type { EncodeBody } from './operation/around.ts';
import type { RequestCall } from './operation/plugin.ts';
import { runtime } from './platform/adapter.ts';
import type { PlatformAdapter } from './platform/adapter.ts';
import { Lifetime, OperationLife } from './lifetime.ts';
import type { Starter } from './startup/start.ts';
import { HeaderMap, capacityOf } from '../shared/index.ts';
import type { Delivery, Operation } from './operation/operation.ts';
import type { GraphQLRequest } from './operation/types.ts';
import type { ContextArgument } from './http/context-argument.ts';
import { malformedRequest, onlyQueriesBy, subscriptionNotPossible } from './http/errors.ts';
import type { BatchElements } from './http/params.ts';
import { VariablesLimit } from './http/body.ts';

/** The arguments of a platform's call. */
export interface CallArguments {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
}

/** The platforms of a handler, and the streaming code for those that support it. */
export interface Platforms {
  readonly adapters: readonly PlatformAdapter<never>[];
  /** Passed in, so that bundles for platforms without streams do not contain it. Undefined: every operation gets one answer. */
  readonly streaming?: Streaming | undefined;
}

/** What the calls of one handler share. */
export interface Serving extends Platforms {
  readonly starter: Starter;
}

/** One call of the handler on its way through the pipeline, which fills in its fields. */
export class Call {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
  readonly adapter: PlatformAdapter<unknown>;
  readonly starter: Starter;
  /** Undefined: the platform cannot stream. */
  readonly streaming: Streaming | undefined;
  /** Undefined until the event has been read. */
  request: HTTPRequest | undefined = undefined;
  /** Undefined until the server has started. */
  settings: HTTPSettings | undefined = undefined;
  /** The request as plugins and `context` see it. Undefined: no plugin wraps requests or operations, or changes their view. */
  view: RequestCall | undefined = undefined;
  /** Encodes the body before it is sent. Until then the platform's limit does not apply. Undefined: the body is sent as it is. */
  encode: EncodeBody | undefined = undefined;
  /** True if operations may have run. */
  mayHaveRun = false;
  /** The response of `respond`. */
  responded: HTTPResponse | StreamedResponse | undefined = undefined;
  /** The response that is sent. */
  departed: HTTPResponse | StreamedResponse | undefined = undefined;
  /** The headers to which the common ones have been added. They are not those of the response if a plugin has replaced it since. */
  finished: HeaderMap | undefined = undefined;
  readonly life: Lifetime;
  #view: OperationLife | undefined = undefined;

  constructor(
    adapter: PlatformAdapter<unknown>,
    { starter, streaming }: Pick<Serving, 'starter' | 'streaming'>,
    { event, context, env }: CallArguments,
  ) {
    this.adapter = adapter;
    this.starter = starter;
    this.streaming = adapter.toStreamResult && streaming;
    this.event = event;
    this.context = context;
    this.env = env;
    this.life = new Lifetime(this);
    // Older Lambda runtimes wait until the event loop is empty: an open database connection would delay the answer until the timeout.
    if (typeof context === 'object' && context !== null && 'callbackWaitsForEmptyEventLoop' in context)
      Reflect.set(context, 'callbackWaitsForEmptyEventLoop', false);
  }

  get signal(): AbortSignal {
    return (this.#view ??= this.life.view({ until: 'disconnect' })).signal;
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.life.deadlineLeft();
  }

  waitUntil(work: Promise<unknown>): void {
    this.life.waitUntil(work);
  }

  /** A stream has the answer: its end is the end of the call. */
  answerIn({ body }: StreamedResponse): void {
    // Workers may drop a stream without a notice, and a process there is never closed.
    if (runtime() !== 'Cloudflare-Workers') this.life.onAnswered = this.starter.calls.addStream(body);
  }
}

/** The platform's objects and the lifetime of a call, as plugins see them: without the fields of the pipeline. */
export function invocationOf(call: Call): Invocation {
  const { event, context, env, adapter, life } = call;
  return {
    event,
    context,
    env,
    clock: life,
    resultLimit: adapter,
    waitsForWork: adapter.keepAlive === undefined,
    get signal() {
      return call.signal;
    },
    waitUntil: (work) => life.waitUntil(work),
    deadlineLeft: () => life.deadlineLeft(),
  };
}

/** A call whose event has been read, on a server that has started. */
export type ArrivedCall = Call & { readonly request: HTTPRequest; readonly settings: HTTPSettings };

/** True for a response whose body is a stream. */
export function isStreamed(response: HTTPResponse | StreamedResponse): response is StreamedResponse {
  return typeof response.body === 'object' && response.body !== null;
}

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
    seen: view && { request, response: head, call: view, facts: new Map(), requestIsBatched: batchIndex !== undefined, batchIndex },
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
    isWrapped: false,
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

/**
 * `signal` is created when it is first read, and a plugin's view may notice when the platform's objects are read. A proxy, because a copy
 * (`{ ...argument }`) must have all members, and accessors, which would do the same, take 1 µs longer.
 */
function createContextArgument(response: ResponseHead, call: ArrivedCall, operation: OperationLife): ContextArgument {
  const { view } = call;
  const late = (view?.invocation ?? call) as unknown as Readonly<Record<PropertyKey, unknown>>;
  const waitUntil = (work: Promise<unknown>): void => call.waitUntil(work);
  const { request } = view ?? call;
  const { event, context, env } = view === undefined ? call : { event: null, context: null, env: null };
  const argument: Record<PropertyKey, unknown> = { request, response, event, context, env, waitUntil, signal: null };
  const get = (target: typeof argument, name: PropertyKey): unknown => {
    if (target[name] !== null || !Object.isExtensible(target)) return target[name];
    return name === 'signal' ? operation.signal : late[name];
  };
  // A frozen argument has all members.
  const preventExtensions = (target: typeof argument): boolean => {
    for (const name of Object.keys(target)) target[name] = get(target, name);
    return Reflect.preventExtensions(target);
  };
  return new Proxy(argument, { get, preventExtensions }) as unknown as ContextArgument;
}
