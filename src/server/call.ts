import { GraphQLError } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import { HeaderMap, answerSizeOf, capacityOf } from '../shared/index.ts';
import type {
  HTTPRequest,
  HTTPResponse,
  Invocation,
  Milliseconds,
  OperationInvocation,
  ResponseHead,
  StreamedResponse,
  Until,
} from '../shared/index.ts';
import { Lifetime } from './lifetime.ts';
import type { CORSOptions } from './doors/cors.ts';
import { malformedRequest, onlyQueriesBy, subscriptionNotPossible } from './doors/errors.ts';
import type { ContextArgument, HTTPSettings } from './doors/http-settings.ts';
import { VariablesLimit } from './doors/body.ts';
import type { Streaming } from './doors/graphql/response.ts';
import type { EncodeBody } from './operation/around.ts';
import type { Asked, Door, RequestCall } from './operation/door.ts';
import type { Delivery, Operation } from './operation/operation.ts';
import type { GraphQLRequest } from './operation/types.ts';
import type { PlatformAdapter, PlatformCall } from './platform/adapter.ts';
import type { Starter } from './startup/start.ts';

/** The platforms of a handler, and the streaming code for those that support it. */
export interface Platforms {
  readonly adapters: readonly PlatformAdapter<never>[];
  /** Passed in, so that bundles for platforms without streams do not contain it. Undefined: every operation gets one answer. */
  readonly streaming?: Streaming | undefined;
}

/** The parts that all calls of one handler share. */
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
  /** Undefined if the platform cannot stream. */
  readonly streaming: Streaming | undefined;
  /** Undefined until the event has been read. */
  request: HTTPRequest | undefined = undefined;
  /** Undefined until the server has started. */
  settings: HTTPSettings | undefined = undefined;
  /** The door of a plugin. Undefined: that for GraphQL, or it is not known yet. */
  door: Door | undefined = undefined;
  /** Who may read the answer of a plugin's door. Undefined: the option `cors` decides. */
  cors: CORSOptions | undefined = undefined;
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
  /** True if the response of the plugins has the header fields that all have. */
  isFinished = false;
  /** True when the last byte has been sent, or the client has left. */
  isAnswered = false;
  /** Work passed to `waitUntil` on a platform that has none: the response waits for it. */
  work: Set<Promise<unknown>> | undefined = undefined;
  #lifetime: Lifetime | undefined = undefined;

  constructor(
    adapter: PlatformAdapter<unknown>,
    { starter, streaming }: Pick<Serving, 'starter' | 'streaming'>,
    given: Required<PlatformCall>,
  ) {
    const { event, context, env } = adapter.begin === undefined ? given : adapter.begin(given);
    this.adapter = adapter;
    this.starter = starter;
    this.streaming = adapter.toStreamResult && streaming;
    this.event = event;
    this.context = context;
    this.env = env;
  }

  /** Variables and bindings that the platform passes with the call. */
  get environment(): unknown {
    const { adapter, env } = this;
    return adapter.environmentOf === undefined ? env : adapter.environmentOf(env);
  }

  get lifetime(): Lifetime {
    return (this.#lifetime ??= new Lifetime(this));
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.lifetime.deadlineLeft();
  }

  /** Called when the answer is complete. Ignores clients that leave later: some platforms abort the signal after every answer. */
  answered(): void {
    if (this.isAnswered) return;
    this.isAnswered = true;
    this.#lifetime?.end();
  }

  /** Called when the client disconnects before the answer: cancels the work, and ends the call. */
  left(): void {
    this.lifetime.leave();
    this.answered();
  }
}

/** The lifetime of a call as one operation sees it, with a separate signal. Data sources get it too: it does not have the platform's objects. */
export class OperationLife implements OperationInvocation {
  until: Until;
  readonly #call: Call;
  // Created when first read: most operations have no use for it.
  #controller: AbortController | undefined = undefined;

  constructor(call: Call, until: Until) {
    this.#call = call;
    this.until = until;
  }

  get isAnswered(): boolean {
    return this.#call.isAnswered;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController());
      this.#call.lifetime.listen({ moment: 'aborted', view: this, callback: (reason) => controller.abort(reason) });
    }
    return this.#controller.signal;
  }

  stop(reason: Error): void {
    (this.#controller ??= new AbortController()).abort(reason);
  }

  onCancel(callback: (reason: Error) => void): () => void {
    return this.#call.lifetime.listen({ moment: 'canceled', view: this, callback });
  }

  onLastMoment(callback: (reason: Error) => void): () => void {
    return this.#call.lifetime.listen({ moment: 'late', view: this, callback });
  }

  async untilLate<T>(
    work: Promise<T>,
    fallback: (reason: Error) => T | Promise<T>,
    moment: 'onCancel' | 'onLastMoment' = 'onLastMoment',
  ): Promise<T> {
    let stop: (() => void) | undefined;
    const late = new Promise<T>((resolve) => {
      stop = this[moment]((reason) => resolve((async () => fallback(reason))()));
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      stop?.();
    }
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.#call.deadlineLeft();
  }

  waitUntil(work: Promise<unknown>): void {
    this.#call.lifetime.waitUntil(work);
  }

  closeAfter(work: PromiseLike<unknown>): void {
    void this.#call.starter.calls.add(Promise.resolve(work)).catch(() => {});
  }
}

/** The platform's objects and the lifetime of a call, as plugins see them: without the fields of the pipeline. */
export function invocationOf(call: Call): Invocation {
  const { event, context, env, adapter } = call;
  const life = new OperationLife(call, 'disconnect');
  return {
    event,
    context,
    env,
    resultLimit: adapter,
    waitsForWork: adapter.keepAlive === undefined,
    get signal() {
      return life.signal;
    },
    waitUntil: (work) => call.lifetime.waitUntil(work),
    deadlineLeft: () => call.deadlineLeft(),
    forOperation: () => new OperationLife(call, 'disconnect'),
  };
}

/** A call whose event has been read, on a server that has started. */
export type ArrivedCall = Call & { readonly request: HTTPRequest; readonly settings: HTTPSettings };

/** True for a response whose body is a stream. */
export function isStreamed(response: HTTPResponse | StreamedResponse): response is StreamedResponse {
  return typeof response.body === 'object' && response.body !== null;
}

/** An operation that a plugin runs. */
export function createOperationOfPlugin(call: ArrivedCall, request: GraphQLRequest | GraphQLError, parts?: OperationParts): Operation {
  const { variables } = request as GraphQLRequest;
  const problem = variables && new VariablesLimit(call.settings.maxBodyBytes).problemOf(variables);
  return createOperation(call, problem === undefined ? request : malformedRequest(problem), parts);
}

interface OperationParts extends Pick<Asked<never>, 'fill' | 'isTrusted'> {
  /** The number of operations in the batch. Default: 1 */
  readonly operations?: number;
  readonly batchIndex?: number;
  /** Undefined if the operation has one answer. */
  readonly delivery?: Delivery | undefined;
}

/** The record of an operation. One that cannot be read has its error. */
export function createOperation(
  call: ArrivedCall,
  given: GraphQLRequest | GraphQLError,
  { operations = 1, batchIndex, delivery, isTrusted = false, fill }: OperationParts = {},
): Operation {
  const { view, adapter, encode } = call;
  const { operation: settings, maxResultBytes } = call.settings;
  // A new object, because plugins may write to it, or use it as a key.
  const request = given instanceof GraphQLError ? { ...unreadable } : given;
  const head = { headers: new HeaderMap() };
  const invocation = new OperationLife(call, 'disconnect');
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
    capacity: capacityOf(answerSizeOf(adapter, maxResultBytes, encode)),
    operations,
    batchIndex,
    delivery,
    isTrusted,
    fill,
    contextValue: undefined,
    hooks: undefined,
    source: undefined,
    document: undefined,
    node: undefined,
    execution: undefined,
    step: 'context',
    timeIsUp: undefined,
    stream: undefined,
    allowance: undefined,
    result: undefined,
    outcome: undefined,
  };
}

const unreadable: GraphQLRequest = { query: undefined, operationName: undefined, variables: undefined, extensions: undefined };

type Refuse = Operation['refuse'];

/** The safe methods, by which only queries may run. */
const refusals: Readonly<Record<string, Refuse>> = Object.fromEntries(['GET', 'HEAD', 'QUERY'].map((one) => [one, refuseUnlessQuery(one)]));

function refuseUnlessQuery(method: string): Refuse {
  return ({ operation }) => (operation === 'query' ? undefined : onlyQueriesBy(method, operation));
}

function refuseSubscription({ operation }: OperationDefinitionNode): GraphQLError | undefined {
  return operation === 'subscription' ? subscriptionNotPossible() : undefined;
}

/**
 * The argument of the option `context`. `signal` is created when it is first read, and a plugin's view may notice when the platform's objects are read. A proxy, because a copy
 * (`{ ...argument }`) must have all members, and accessors, which would do the same, take 1 µs longer.
 */
function createContextArgument(response: ResponseHead, call: ArrivedCall, operation: OperationLife): ContextArgument {
  const { view } = call;
  const late = (view?.invocation ?? call) as unknown as Readonly<Record<PropertyKey, unknown>>;
  const waitUntil = (work: Promise<unknown>): void => call.lifetime.waitUntil(work);
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
