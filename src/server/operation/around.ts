import type { CallWatch } from '../../datasources/index.ts';
import { joinObservers } from '../../executor/index.ts';
import { HeaderMap, allReady, copyErrorsForOperation, isPromiseLike, rescued, whenReady } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPResponse, OperationInvocation, StreamedResponse } from '../../shared/index.ts';
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
import type { ChosenOptions, NotifyExecution, OperationInput, WrapExecution } from './state.ts';

// In development, tools/checks/plugin-check.ts says more about a forgotten return.

/** Runs an operation inside the plugins that wrap operations, or are notified of their end. Throws or rejects when one of them fails. */
export type WrapOperation = (running: RunningOperation) => PromiseOrValue<OperationOutcome>;

/** An operation, and the function that runs it. */
export interface RunningOperation {
  readonly input: OperationInput;
  readonly http: RequestCall;
  readonly run: (input: OperationInput) => PromiseOrValue<OperationOutcome>;
}

/** Answers a request inside the plugins that wrap requests, or are notified of responses. Throws or rejects when one of them fails. */
export type WrapRequest = (call: RequestCall, respond: () => PromiseOrValue<Response>) => PromiseOrValue<Response>;
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
    ...(plugin.aroundRequest === undefined ? [] : [around('aroundRequest', plugin.aroundRequest.bind(plugin))]),
    ...(plugin.responseWillBeSent === undefined ? [] : [after(plugin.responseWillBeSent.bind(plugin))]),
  ]);
  if (middleware.length === 0) return undefined;
  return (call, respond) => whenReady(compose(middleware, call, respond), assertAnswer, 'aroundRequest');
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
    ...(plugin.aroundOperation === undefined ? [] : [around('aroundOperation', plugin.aroundOperation.bind(plugin))]),
    ...(plugin.operationDidEnd === undefined ? [] : [after(plugin.operationDidEnd.bind(plugin))]),
  ]);
  const followers = plugins.flatMap((plugin) => plugin.dataSourceCallDidStart?.bind(plugin) ?? []);
  const mustEnd = plugins.some(
    ({ aroundOperation, operationDidEnd, onlyWatches }) => onlyWatches !== true && (aroundOperation ?? operationDidEnd) !== undefined,
  );
  if (middleware.length === 0 && followers.length === 0) return undefined;
  return ({ input, http, run }) => {
    const call = { request: input.request, response: input.head, http, requestIsBatched: input.budget !== undefined };
    const watched = followers.length === 0 ? input : { ...input, watchCall: watchBy(followers, call) };
    let inner: PromiseOrValue<OperationOutcome> | undefined;
    const wrapped = (): PromiseOrValue<OperationOutcome> => {
      const wrapping = compose(middleware, call, () => (inner = run(watched)));
      return whenReady(outcomeInTime(wrapping, input.invocation, { inner: () => inner, mustEnd }), assertAnswer, 'aroundOperation');
    };
    const fail = (error: unknown): never => {
      void closeStream(inner);
      throw error;
    };
    return rescued(wrapped, fail, undefined);
  };
}

/** The plugins around something. */
interface Wrapped {
  /** The outcome inside. Undefined: no plugin has called `next` yet. */
  readonly inner: () => PromiseOrValue<OperationOutcome> | undefined;
  /** True if a plugin may still refuse the outcome. */
  readonly mustEnd: boolean;
}

/**
 * The outcome of plugins around something. If one hangs after `next`, the inner outcome is sent only if all of them just watch: a client
 * can choose the moment with a slow field, and must not get what a plugin would have taken away.
 */
export function outcomeInTime(
  wrapping: PromiseOrValue<OperationOutcome>,
  invocation: OperationInvocation,
  { inner, mustEnd }: Wrapped,
): PromiseOrValue<OperationOutcome> {
  if (!(wrapping instanceof Promise)) return wrapping;
  const onLastMoment = (): PromiseOrValue<OperationOutcome> => {
    const outcome = inner();
    if (outcome === undefined) throw deadlineExceeded();
    if (mustEnd) throw unfinishedAtDeadline();
    return outcome;
  };
  return invocation.inTime(wrapping, { onLastMoment });
}

/** A plugin that fails after the operation does not leave its stream open. */
async function closeStream(inner: PromiseOrValue<OperationOutcome> | undefined): Promise<void> {
  await (await inner)?.stream?.return();
}

/** Undefined if no plugin wraps executions. */
export function createWrapExecution(plugins: readonly ServerPlugin[]): WrapExecution | undefined {
  return wrapBy(
    plugins.flatMap((plugin) => plugin.aroundExecution?.bind(plugin) ?? []),
    plugins.some(({ aroundExecution, onlyWatches }) => aroundExecution !== undefined && onlyWatches !== true),
  );
}

function wrapBy(hooks: readonly NonNullable<ServerPlugin['aroundExecution']>[], mustEnd: boolean): WrapExecution | undefined {
  if (hooks.length === 0) return undefined;
  const middleware = hooks.map((hook) => around('aroundExecution', hook));
  const wrap = (execution: CoercedExecution, next: () => PromiseOrValue<OperationOutcome>): PromiseOrValue<OperationOutcome> =>
    whenReady(compose(middleware, execution, next), assertAnswer, 'aroundExecution');
  return Object.assign(wrap, { mustEnd });
}

function watchBy(
  followers: readonly NonNullable<ServerPlugin['dataSourceCallDidStart']>[],
  operation: OperationCall,
): OperationInput['watchCall'] {
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

/** Throws for a plugin without a `return`, for example. In development the message says more. */
function assertAnswer<T>(answer: T, hook: string): T {
  if (typeof answer === 'object') return answer;
  throw new TypeError(`${hook} of a plugin returned no answer.`);
}

/** One hook of one plugin around something. */
type Middleware<TCall, TResult> = (call: TCall, next: () => PromiseOrValue<TResult>) => PromiseOrValue<TResult>;

/** Calls the hooks around each other, the first one outermost. */
function compose<TCall, TResult>(
  middleware: readonly Middleware<TCall, TResult>[],
  call: TCall,
  innermost: () => PromiseOrValue<TResult>,
): PromiseOrValue<TResult> {
  const outermost = middleware.reduceRight<() => PromiseOrValue<TResult>>((next, one) => () => one(call, next), innermost);
  return outermost();
}

/** A hook that calls `next` itself. This function is asynchronous, so that synchronous errors become rejections, too. */
function around<TCall, TResult extends object>(
  name: string,
  hook: (call: TCall, next: () => Promise<TResult>) => Promise<TResult>,
): Middleware<TCall, TResult> {
  return async (call, next) => {
    let isCalled = false;
    let inner: TResult | undefined;
    const answer = await hook(call, async () => {
      if (isCalled) throw new Error(`Expected ${name} of a plugin to call next() once, but it called it twice.`);
      isCalled = true;
      return (inner = await next());
    });
    return answer === inner || typeof answer !== 'object' || answer === null ? answer : copyAnswer(answer, inner, call);
  };
}

/** Calls a hook with the result. Creates no promise unless the hook does: three promises took as long as the smallest operation. */
function after<TCall, TResult>(hook: (call: TCall, result: TResult) => void | Promise<void>): Middleware<TCall, TResult> {
  const notify = (result: TResult, call: TCall): PromiseOrValue<TResult> => {
    const work = hook(call, result);
    return work === undefined ? result : Promise.resolve(work).then(() => result);
  };
  return (call, next) => whenReady(next(), notify, call);
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
    const options = plugin.executionWillStart!(execution);
    return isPromiseLike(options) ? Promise.resolve(options) : options;
  } catch (error) {
    return Promise.reject(error);
  }
}

function combineOptions(all: readonly (ExecutionOptions | void)[], choosing: readonly ServerPlugin[]): ChosenOptions {
  const chosen = all.map((options) => options ?? {});
  const listings = chosen.flatMap(({ objects }) => objects ?? []);
  return {
    // A list with a naming function serves plugins that need no names, too.
    objects: listings.find(({ naming }) => naming !== undefined) ?? listings[0],
    runToEnd: chosen.some(({ runToEnd }) => runToEnd === true),
    observer: joinObservers(chosen.map(({ observer }) => observer)),
    inOneAnswer: chosen.some(({ inOneAnswer }) => inOneAnswer === true),
    wrap: wrapBy(
      chosen.flatMap(({ around: hook }) => hook ?? []),
      chosen.some(({ around: hook }, at) => hook !== undefined && choosing[at]!.onlyWatches !== true),
    ),
  };
}

type Step = Exclude<keyof CallWatch, 'aroundSend'>;
const steps: readonly Step[] = ['found', 'used', 'passedOver', 'joined', 'sent', 'answered', 'judged', 'ended'];

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
