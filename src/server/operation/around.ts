import type { CallWatch } from '../../datasources/index.ts';
import { joinObservers } from '../../executor/index.ts';
import { HeaderMap, allReady, copyErrorsForOperation, isPromiseLike, toPromise, whenReady } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { copyMutableParts } from './hooks.ts';
import { deadlineExceeded, unfinishedAtDeadline } from './errors.ts';
import { report } from './log-errors.ts';
import type { Logger, OperationOutcome } from './types.ts';
import type {
  CoercedExecution,
  DataSourceCall,
  DataSourceCallListener,
  ExecutionOptions,
  OperationCall,
  OperationExecution,
  RequestCall,
  ServerPlugin,
} from './plugin.ts';
import type { ChosenOptions, NotifyExecution, Operation, WrapExecution, Wrapped } from './operation.ts';

/** Runs an operation inside the plugins that wrap operations, or are notified of their end. */
export type WrapOperation = (running: RunningOperation) => PromiseOrValue<OperationOutcome>;

/** An operation, and the functions that run it and fail it. */
export interface RunningOperation extends Pick<Wrapped<OperationOutcome>, 'fail'> {
  readonly operation: Operation;
  readonly http: RequestCall;
  readonly run: (operation: Operation) => PromiseOrValue<OperationOutcome>;
}

/** Answers a request inside the plugins that wrap requests, or are notified of responses. */
export type WrapRequest = (call: RequestCall, wrapped: Wrapped<Response>) => PromiseOrValue<Response>;
type Response = HTTPResponse | StreamedResponse;

/** A view of a request, in place of the request as it came. */
export type ViewRequest = (call: RequestCall) => RequestCall;

/** Undefined if no plugin has a view of requests. Each plugin sees the view of the previous one. */
export function createViewRequest(plugins: readonly ServerPlugin[]): ViewRequest | undefined {
  const views = plugins.flatMap((plugin) => plugin.viewRequest?.bind(plugin) ?? []);
  return views.length === 0 ? undefined : (call) => views.reduce((seen, view) => assertSynchronous(view(seen), 'viewRequest'), call);
}

/** Plugins with the position 'first', those without a position, and those with the position 'last', each in the order of the list. */
export function inOrder(plugins: readonly ServerPlugin[]): readonly ServerPlugin[] {
  return plugins.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ position }: ServerPlugin): number {
  return position === 'first' ? 0 : position === 'last' ? 2 : 1;
}

/** Undefined if no plugin wraps requests, or is notified of responses. */
export function createWrapRequest(plugins: readonly ServerPlugin[]): WrapRequest | undefined {
  const middleware = plugins.flatMap((plugin): Middleware<RequestCall, Response>[] => [
    ...(plugin.aroundRequest === undefined ? [] : [around('aroundRequest', plugin.aroundRequest.bind(plugin), plugin)]),
    ...(plugin.responseWillBeSent === undefined ? [] : [after(plugin.responseWillBeSent.bind(plugin), plugin)]),
  ]);
  return middleware.length === 0 ? undefined : (call, wrapped) => compose(middleware, call, wrapped);
}

/** Returns the response with an encoded body. */
export type EncodeBody = NonNullable<ReturnType<NonNullable<ServerPlugin['encodeResponse']>>>;

/** Chooses how the response to a request is encoded. */
export type ChooseEncoding = (call: RequestCall) => EncodeBody | undefined;

/** Undefined if no plugin encodes responses. */
export function createChooseEncoding(plugins: readonly ServerPlugin[]): ChooseEncoding | undefined {
  const choices = plugins.flatMap((plugin) => plugin.encodeResponse?.bind(plugin) ?? []);
  if (choices.length === 0) return undefined;
  return (call) => {
    for (const choose of choices) {
      const encode = assertSynchronous(choose(call), 'encodeResponse');
      if (encode !== undefined) return encode;
    }
    return undefined;
  };
}

/** Undefined if no plugin wraps operations, is notified of their end, or follows the calls of data sources. */
export function createWrapOperation(plugins: readonly ServerPlugin[]): WrapOperation | undefined {
  const middleware = plugins.flatMap((plugin): Middleware<OperationCall, OperationOutcome>[] => [
    ...(plugin.aroundOperation === undefined ? [] : [around('aroundOperation', plugin.aroundOperation.bind(plugin), plugin)]),
    ...(plugin.operationDidEnd === undefined ? [] : [after(plugin.operationDidEnd.bind(plugin), plugin)]),
  ]);
  const followers = plugins.flatMap((plugin) => plugin.dataSourceCallDidStart?.bind(plugin) ?? []);
  if (middleware.length === 0 && followers.length === 0) return undefined;
  return ({ operation, http, run, fail }) => {
    const { request, head, budget, invocation } = operation;
    const call = { request, response: head, http, requestIsBatched: budget !== undefined };
    if (followers.length > 0) operation.watchCall = watchBy(followers, call);
    return compose(middleware, call, { run: () => run(operation), invocation, fail });
  };
}

/** Undefined if no plugin wraps executions. */
export function createWrapExecution(plugins: readonly ServerPlugin[]): WrapExecution | undefined {
  return wrapBy(plugins.flatMap((plugin) => hookOf(plugin.aroundExecution?.bind(plugin), plugin)));
}

type ExecutionHook = Middleware<CoercedExecution, OperationOutcome>;

function hookOf(hook: ServerPlugin['aroundExecution'], plugin: ServerPlugin): ExecutionHook | readonly [] {
  return hook === undefined ? [] : around('aroundExecution', hook, plugin);
}

function wrapBy(hooks: readonly ExecutionHook[]): WrapExecution | undefined {
  return hooks.length === 0 ? undefined : (execution, wrapped) => compose(hooks, execution, wrapped);
}

function watchBy(
  followers: readonly NonNullable<ServerPlugin['dataSourceCallDidStart']>[],
  operation: OperationCall,
): Operation['watchCall'] {
  const follow = (follower: (typeof followers)[number], call: DataSourceCall): DataSourceCallListener | void =>
    assertSynchronous(follower(call), 'dataSourceCallDidStart');
  return (dataSource, request) => {
    const call = { dataSource, request, operation };
    return joinListeners(
      followers.map((follower) => follow(follower, call)),
      operation.http.logger,
    );
  };
}

/** Throws for the promise of a hook that was written as asynchronous, because the server would not wait for it, nor for its refusal. */
function assertSynchronous<T>(value: T, hook: string): T {
  if (!isPromiseLike(value)) return value;
  Promise.resolve(value).catch(() => {});
  throw new TypeError(`Expected ${hook} of a plugin to be synchronous, but it returned a promise.`);
}

/** Throws for a plugin without a `return`, for example. */
function assertAnswer<T>(answer: T, hook: string): T {
  if (typeof answer === 'object') return answer;
  throw new TypeError(`${hook} of a plugin returned no answer.`);
}

/** One hook of one plugin around something. */
type Middleware<TCall, TResult> = (call: TCall, wrapped: Wrapped<TResult>) => PromiseOrValue<TResult>;

/** Calls the hooks around each other, the first one outermost. */
function compose<TCall, TResult>(
  middleware: readonly Middleware<TCall, TResult>[],
  call: TCall,
  wrapped: Wrapped<TResult>,
): PromiseOrValue<TResult> {
  const outermost = middleware.reduceRight<() => PromiseOrValue<TResult>>((run, one) => () => one(call, { ...wrapped, run }), wrapped.run);
  return outermost();
}

/**
 * A hook that calls `next` itself. If it throws or hangs, the hooks around it get the error as the answer. If it hangs after `next`, the
 * result inside is the answer only if the plugin just watches: a client can choose the moment with a slow field, and must not get what the
 * plugin would have taken away.
 */
function around<TCall, TResult extends object>(
  name: string,
  hook: (call: TCall, next: () => Promise<TResult>) => Promise<TResult>,
  { onlyWatches }: ServerPlugin,
): Middleware<TCall, TResult> {
  return async (call, { run, invocation, fail }) => {
    let isCalled = false;
    let running: PromiseOrValue<TResult> | undefined;
    let inner: TResult | undefined;
    const next = async (): Promise<TResult> => {
      if (isCalled) throw new Error(`Expected ${name} of a plugin to call next() once, but it called it twice.`);
      isCalled = true;
      running = run();
      return (inner = await running);
    };
    try {
      const working = Promise.resolve(hook(call, next));
      const onLastMoment = (): PromiseOrValue<TResult> =>
        onlyWatches === true && running !== undefined ? running : Promise.race([working, giveUpAfter(running, name)]);
      const answer = assertAnswer(await invocation.inTime(working, { onLastMoment }), name);
      return answer === inner ? answer : copyAnswer(answer, inner, call);
    } catch (thrown) {
      return fail(thrown, inner, running);
    }
  };
}

/**
 * Throws in the next turn of the event loop after what a hook wraps has ended, so that the hook can change a late answer. A timer would
 * take time from the hooks around this one.
 */
async function giveUpAfter(running: unknown, name: string): Promise<never> {
  await Promise.allSettled([running]);
  await new Promise<void>((resolve) => void (globalThis.setImmediate ?? setTimeout)(resolve));
  // A plugin around the request may have run operations without `next`.
  throw running === undefined && name !== 'aroundRequest' ? deadlineExceeded() : unfinishedAtDeadline();
}

/** Calls a hook with the result. Creates no promise unless the hook does: three promises took as long as the smallest operation. */
function after<TCall, TResult extends object>(
  hook: (call: TCall, result: TResult) => void | Promise<void>,
  plugin: ServerPlugin,
): Middleware<TCall, TResult> {
  const notify = (result: TResult, [call, wrapped]: readonly [TCall, Wrapped<TResult>]): PromiseOrValue<TResult> => {
    try {
      const work = hook(call, result);
      if (work === undefined) return result;
      const waiting = around<TCall, TResult>('', (_call, next) => next().then((same) => Promise.resolve(work).then(() => same)), plugin);
      return waiting(call, { ...wrapped, run: () => result });
    } catch (thrown) {
      return wrapped.fail(thrown, result, result);
    }
  };
  return (call, wrapped) => whenReady(wrapped.run(), notify, [call, wrapped] as const);
}

/** The parts of a response, and of an outcome, into which hooks and CORS write. */
type Written = Partial<Pick<HTTPResponse, 'headers'> & Pick<OperationOutcome, 'head' | 'result' | 'errors'>>;

/** Copies an answer, because a plugin may return the same one for every call, and changes for one call must not reach another. */
function copyAnswer<TAnswer>(given: TAnswer, before: unknown, call: unknown): TAnswer {
  const answer = given as TAnswer & Written;
  const inner = (before ?? {}) as Written;
  const { headers, head, result, errors } = answer;
  const isHeadOfCall = head === undefined || head === (call as Partial<OperationCall | CoercedExecution>).response || head === inner.head;
  const isResultOfCall = result === undefined || result === null || result === inner.result;
  return {
    ...answer,
    ...(headers !== undefined && headers !== inner.headers && { headers: HeaderMap.copyOf(headers) }),
    ...(!isHeadOfCall && { head: { ...head, headers: HeaderMap.copyOf(head.headers) } }),
    ...(!isResultOfCall && { result: copyMutableParts(result) }),
    ...(errors !== undefined && { errors: copyErrorsForOperation(errors) }),
  };
}

/** Undefined if no plugin has `executionWillStart`. */
export function createNotifyExecution(plugins: readonly ServerPlugin[]): NotifyExecution | undefined {
  const choosing = plugins.filter((plugin) => plugin.executionWillStart !== undefined);
  if (choosing.length === 0) return undefined;
  return (execution) => whenReady(allReady(choosing.map((plugin) => optionsOf(plugin, execution))), combineOptions, choosing);
}

/** Turns synchronous errors into rejections, so that the rejections of other plugins are handled. */
function optionsOf(plugin: ServerPlugin, execution: OperationExecution): PromiseOrValue<ExecutionOptions | void> {
  try {
    return toPromise(plugin.executionWillStart!(execution));
  } catch (error) {
    return Promise.reject(error);
  }
}

function combineOptions(all: readonly (ExecutionOptions | void)[], choosing: readonly ServerPlugin[]): ChosenOptions {
  const chosen = all.map((options) => options ?? {});
  return {
    runToEnd: chosen.some(({ runToEnd }) => runToEnd === true),
    observer: joinObservers(chosen.map(({ observer }) => observer)),
    inOneAnswer: chosen.some(({ inOneAnswer }) => inOneAnswer === true),
    wrap: wrapBy(chosen.flatMap(({ around: hook }, at) => hookOf(hook, choosing[at]!))),
  };
}

type Step = Exclude<keyof CallWatch, 'aroundSend'>;
const steps: readonly Step[] = ['found', 'used', 'passedOver', 'sent', 'answered', 'judged', 'ended'];

/** Several listeners as one that has every step. Nothing waits for a step: if it is asynchronous and fails, that is logged. */
function joinListeners(listeners: readonly (DataSourceCallListener | void)[], logger: Logger): CallWatch {
  const notify = (step: Step) => [
    step,
    (...given: unknown[]) => {
      for (const listener of listeners) {
        const work = (listener?.[step] as ((...given: unknown[]) => unknown) | undefined)?.(...given);
        if (isPromiseLike(work)) Promise.resolve(work).catch((error: unknown) => report(logger, `${step} of a plugin failed.`, error));
      }
    },
  ];
  const aroundSend: CallWatch['aroundSend'] = (send) =>
    listeners.reduceRight((next, listener) => (listener?.aroundSend ? () => listener.aroundSend!(next) : next), send)();
  return { ...Object.fromEntries(steps.map(notify)), aroundSend } as CallWatch;
}
