import { GraphQLError } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import { HeaderMap, capacityOf, waitAtMost } from '../shared/index.ts';
import type {
  AnswerSize,
  HTTPRequest,
  HTTPResponse,
  Invocation,
  Milliseconds,
  OperationInvocation,
  ResponseHead,
  StreamedResponse,
  Until,
} from '../shared/index.ts';
import type { CORSOptions } from './doors/cors.ts';
import { malformedRequest, onlyQueriesBy, subscriptionNotPossible } from './doors/errors.ts';
import type { ContextArgument, HTTPSettings } from './doors/http-settings.ts';
import { VariablesLimit } from './doors/body.ts';
import type { Streaming } from './doors/graphql/response.ts';
import type { EncodeBody } from './operation/around.ts';
import { clientLeft, unfinishedAtDeadline } from './operation/errors.ts';
import type { Asked, Door, RequestCall } from './operation/door.ts';
import type { Delivery, Operation } from './operation/operation.ts';
import type { GraphQLRequest } from './operation/types.ts';
import { runtime } from './platform/adapter.ts';
import type { PlatformAdapter } from './platform/adapter.ts';
import { deadlineOf } from './startup/deadline.ts';
import type { Deadline } from './startup/deadline.ts';
import type { Starter } from './startup/start.ts';

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

/** The parts that all calls of one handler share. */
export interface Serving extends Platforms {
  readonly starter: Starter;
}

/** Signals fire last: by then the callbacks have saved what is finished, and the work that a signal stops is no longer needed. */
type Moment = 'canceled' | 'aborted' | 'late';

interface Listener {
  readonly moment: Moment;
  readonly view: { readonly until: Until };
  readonly callback: (reason: Error) => void;
}

/** Milliseconds that a buffered response waits for work passed to `waitUntil`. */
const longestWait = 1000;
/** The longest delay of a timer: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * One call of the handler on its way through the pipeline, which fills in its fields. Its lifetime only moves down this list, and may skip
 * any state but the last:
 * - open: work is in progress
 * - canceled: the deadline has passed, or the client has left; finished parts become the answer
 * - late: the last moment has passed; nothing is awaited
 * - answered: the last byte has been sent, or the client has left; no work is started, and no listener is called
 */
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
  /** The headers to which the common ones have been added. They are not those of the response if a plugin has replaced it since. */
  finished: HeaderMap | undefined = undefined;
  isAnswered = false;
  /** Work passed to `waitUntil` on a platform that has none: the response waits for it. */
  work: Set<Promise<unknown>> | undefined = undefined;
  /** Why work of each kind was canceled, and why nothing is awaited. */
  readonly #reasons: { [TCause in Until | 'late']?: Error } = {};
  // Created when first needed.
  #begunAt: Milliseconds | undefined = undefined;
  #deadline: Deadline | undefined = undefined;
  #listeners: Set<Listener> | undefined = undefined;
  /** The immediate that sets the timer and watches the client. Undefined when it has run. */
  #turn: ReturnType<typeof setImmediate> | undefined = undefined;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #watchesClient = false;
  #onAnswered: (() => void) | undefined = undefined;

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
    // Older Lambda runtimes wait until the event loop is empty: an open database connection would delay the answer until the timeout.
    if (typeof context === 'object' && context !== null && 'callbackWaitsForEmptyEventLoop' in context)
      Reflect.set(context, 'callbackWaitsForEmptyEventLoop', false);
  }

  /** Deno and Bun pass the connection or the server in place of variables and bindings. */
  get environment(): unknown {
    return /^(?:Deno|Bun)$/.test(runtime()) ? undefined : this.env;
  }

  deadlineLeft(): Milliseconds | undefined {
    const deadline = this.#findDeadline();
    return deadline && deadline.at - Date.now();
  }

  /** Reads the time on first use, because calls that never wait need none. All code before it is synchronous, so little time is lost. */
  #findDeadline(): Deadline | undefined {
    if (this.#begunAt === undefined) {
      this.#begunAt = Date.now();
      this.optionsAreKnown();
    }
    return this.#deadline;
  }

  /** Called when the server has started: its options may not have been known when the call began. */
  optionsAreKnown(): void {
    if (this.#begunAt === undefined || this.isAnswered) return;
    const { adapter, context, starter } = this;
    this.#deadline = deadlineOf(starter.prepared?.deadline, this.#begunAt, context, adapter.timeLimit?.(context));
    if (this.#listeners !== undefined && this.#turn === undefined) this.#setTimer();
  }

  /** Called when the answer is complete. Ignores clients that leave later: some platforms abort the signal after every answer. */
  answered(): void {
    if (this.isAnswered) return;
    this.isAnswered = true;
    if (this.#turn !== undefined) globalThis.clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    this.#listeners?.clear();
    this.#onAnswered?.();
  }

  /** A stream has the answer: its end is the end of the call. */
  answerIn({ body }: StreamedResponse): void {
    // Workers may drop a stream without a notice, and a process there is never closed.
    if (runtime() !== 'Cloudflare-Workers') this.#onAnswered = this.starter.calls.addStream(body);
  }

  /** Called when the client disconnects before the answer: cancels the work, and ends the call. */
  left(): void {
    this.#leave();
    this.answered();
  }

  waitUntil(work: Promise<unknown>): void {
    const { starter, adapter, context } = this;
    const logged = Promise.resolve(work).catch((error: unknown) => starter.logger().error('Work passed to waitUntil failed.', error));
    const watched = starter.calls.add(logged);
    if (adapter.keepAlive === undefined) {
      const pending = (this.work ??= new Set());
      pending.add(watched);
      // Finished work is removed, because a long stream may add much of it.
      void watched.then(() => pending.delete(watched));
      return;
    }
    const keepAlive = adapter.keepAlive(context);
    if (keepAlive === undefined) warnOfLostWork(starter);
    else keepAlive(watched);
  }

  /** Resolves when all work passed to `waitUntil` is done, at the last moment, or after one second, whichever is first. */
  async settled(): Promise<void> {
    const { work = new Set(), starter } = this;
    // Work may add more work before it ends.
    const done = async (): Promise<void> => {
      while (work.size > 0) await Promise.all(work);
    };
    const left = (this.#findDeadline()?.lastMoment ?? Infinity) - Date.now();
    const limit = Math.max(0, Math.min(longestWait, Math.floor(left)));
    if ((await waitAtMost(limit, done())) === 'late')
      starter.logger().warn(`Work passed to waitUntil did not finish within ${limit} ms of the answer. The platform may freeze it.`);
  }

  /** Calls back once, when the moment comes for the view, or at once if it has passed. Returns a function that removes the callback. */
  listen(listener: Listener): () => void {
    const { moment, callback } = listener;
    const listeners = this.isAnswered ? undefined : (this.#listeners ?? this.#begin());
    // A signal is read at once. A callback may wait for the next turn, in which there may be an answer.
    if (moment === 'aborted' || (moment === 'canceled' && this.#turn === undefined)) this.#watchClient(listener);
    const reason = this.#reasons[causeOf(listener)];
    if (reason === undefined) listeners?.add(listener);
    else callback(reason);
    return () => listeners?.delete(listener);
  }

  /**
   * Starts the clock. The timer is set, and the client watched, in the next turn of the event loop, unless there is an answer by then, as with
   * promises that resolve at once: a timer costs 1 µs, a listener on the signal of a `Request` 2 µs on Node and 6 on Deno and workerd, an
   * immediate 0.1.
   */
  #begin(): Set<Listener> {
    this.#findDeadline();
    const listeners = (this.#listeners = new Set<Listener>());
    const watch = (): void => {
      this.#turn = undefined;
      for (const listener of listeners) this.#watchClient(listener);
      this.#setTimer();
    };
    // Cloudflare Workers may lack setImmediate.
    if (globalThis.setImmediate === undefined) watch();
    else this.#turn = globalThis.setImmediate(watch);
    return listeners;
  }

  /** Watches for the client to leave, once there is work to cancel. The platform reports at once if the client has left already. */
  #watchClient(listener: Listener): void {
    // Deadlines have a timer; the platform watches the client, which costs more.
    if (this.#watchesClient || this.isAnswered || causeOf(listener) !== 'disconnect') return;
    this.#watchesClient = true;
    this.adapter.onLeave?.(this.event, () => this.#leave());
  }

  /** Sets the timer, or replaces it when the options change the deadline. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    const deadline = this.#deadline;
    if (deadline === undefined) return;
    this.#timer = timerAt(deadline.at, () => {
      this.#timer = timerAt(deadline.lastMoment, () => this.#end(['late'], this.#reasons.deadline!));
      this.#end(['disconnect', 'deadline'], unfinishedAtDeadline());
    });
  }

  #leave(): void {
    this.#end(['disconnect'], clientLeft());
  }

  /** Calls the listeners of these causes, and removes them. The first reason counts. */
  #end(causes: readonly (Until | 'late')[], reason: Error): void {
    if (this.isAnswered) return;
    const due = causes.filter((cause) => this.#reasons[cause] === undefined);
    for (const cause of due) this.#reasons[cause] = reason;
    for (const moment of ['canceled', 'aborted', 'late'])
      for (const listener of this.#listeners ?? [])
        if (listener.moment === moment && due.includes(causeOf(listener)) && this.#listeners!.delete(listener)) listener.callback(reason);
  }
}

function causeOf({ moment, view }: Listener): Until | 'late' {
  return moment === 'late' ? moment : view.until;
}

function timerAt(at: Milliseconds, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  const left = Math.max(0, at - Date.now());
  return left <= longestTimer ? setTimeout(callback, left) : undefined;
}

/** The handlers for which a warning has been logged. */
const warned = new WeakSet<Starter>();

function warnOfLostWork(starter: Starter): void {
  if (warned.has(starter)) return;
  warned.add(starter);
  starter
    .logger()
    .warn(
      'Work was passed to waitUntil, but this call has no waitUntil of the platform: the process may freeze before the work finishes. ' +
        'Pass the context of the platform to the handler, or { waitUntil }: on Next.js handler(request, { waitUntil: after }).',
    );
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
      this.#call.listen({ moment: 'aborted', view: this, callback: (reason) => controller.abort(reason) });
    }
    return this.#controller.signal;
  }

  stop(reason: Error): void {
    (this.#controller ??= new AbortController()).abort(reason);
  }

  onCancel(callback: (reason: Error) => void): () => void {
    return this.#call.listen({ moment: 'canceled', view: this, callback });
  }

  onLastMoment(callback: (reason: Error) => void): () => void {
    return this.#call.listen({ moment: 'late', view: this, callback });
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
    this.#call.waitUntil(work);
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
    waitUntil: (work) => call.waitUntil(work),
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

interface OperationParts extends Pick<Asked<never>, 'fill'> {
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
  { operations = 1, batchIndex, delivery, fill }: OperationParts = {},
): Operation {
  const { view } = call;
  const { operation: settings } = call.settings;
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
    capacity: capacityOf(answerSizeOf(call)),
    operations,
    batchIndex,
    delivery,
    fill,
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
const refusals: Readonly<Record<string, Refuse>> = Object.fromEntries(['GET', 'HEAD', 'QUERY'].map((one) => [one, refuseUnlessQuery(one)]));

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
