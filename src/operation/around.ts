import type { CallWatch } from '../datasource/call-watch.ts';
import { rescued, whenReady } from '../message/eventual.ts';
import { HeaderMap } from '../message/header-map.ts';
import { ownErrors } from '../message/own-errors.ts';
import type { Eventual } from '../message/eventual.ts';
import type { HTTPResponse, StreamedResponse } from '../message/http-messages.ts';
import { deadlineExceeded } from './errors.ts';
import { ownPartsOf } from './hooks.ts';
import { withDeadline } from './with-deadline.ts';
import type { OperationOutcome } from './types.ts';
import type { DataSourceCallListener, ExecutionWish, OperationCall, RequestCall, ServerPlugin } from './plugin.ts';
import type { OperationInput, OperationSettings } from './state.ts';

// Mistakes of plugins, a forgotten return or a second next(), are told in development: development/plugin-check.ts.

/** Runs an operation inside the plugins that wrap operations, or are told of their end. Throws or rejects when one of them fails. */
export type WrapOperation = <TState>(running: RunningOperation<TState>) => Eventual<OperationOutcome>;

/** An operation, and the function that runs it. */
export interface RunningOperation<TState> {
  readonly input: OperationInput;
  readonly http: RequestCall;
  readonly run: (input: OperationInput, state: TState) => Eventual<OperationOutcome>;
  readonly state: TState;
}

/** Answers a request inside the plugins that wrap requests, or are told of responses. Throws or rejects when one of them fails. */
export type WrapRequest = <TState>(call: RequestCall, respond: (state: TState) => Eventual<Response>, state: TState) => Eventual<Response>;
type Response = HTTPResponse | StreamedResponse;

/** A view of a request, in place of the request as it came. */
export type ViewRequest = (call: RequestCall) => RequestCall;

/** Undefined where no plugin has a view of requests. Each sees the view of the one before. */
export function createViewRequest(plugins: readonly ServerPlugin[]): ViewRequest | undefined {
  const views = plugins.flatMap((plugin) => plugin.viewRequest?.bind(plugin) ?? []);
  if (views.length === 1) return views[0];
  return views.length === 0 ? undefined : (call) => views.reduce((seen, view) => view(seen), call);
}

/** Those that are to come first do, else the order stays. */
export function inOrder(plugins: readonly ServerPlugin[]): readonly ServerPlugin[] {
  return plugins.toSorted((one, other) => Number(other.position === 'first') - Number(one.position === 'first'));
}

/** Undefined where no plugin wraps requests, or is told of responses: then nothing of this is done. */
export function createWrapRequest(plugins: readonly ServerPlugin[]): WrapRequest | undefined {
  const brackets = plugins.flatMap((plugin): Bracket<RequestCall, Response>[] => [
    ...(plugin.aroundRequest === undefined ? [] : [{ around: plugin.aroundRequest.bind(plugin) }]),
    ...(plugin.responseWillBeSent === undefined ? [] : [bracketAfter(plugin.responseWillBeSent.bind(plugin))]),
  ]);
  if (brackets.length === 0) return undefined;
  return (call, respond, state) => {
    const request: WrappedRequest<typeof state> = { brackets, call, innermost: respondTo, respond, state };
    return whenReady(nest(request, 0), assertAnswer, 'aroundRequest');
  };
}

interface WrappedRequest<TState> extends Nesting<RequestCall, Response> {
  readonly respond: (state: TState) => Eventual<Response>;
  readonly state: TState;
}

function respondTo(nesting: Nesting<RequestCall, Response>): Eventual<Response> {
  const { respond, state } = nesting as WrappedRequest<unknown>;
  return respond(state);
}

/** Undefined where no plugin wraps operations, is told of their end, or follows the calls of data sources. */
export function createWrapOperation(plugins: readonly ServerPlugin[]): WrapOperation | undefined {
  const brackets = plugins.flatMap((plugin): Bracket<OperationCall, OperationOutcome>[] => [
    ...(plugin.aroundOperation === undefined ? [] : [{ around: plugin.aroundOperation.bind(plugin) }]),
    ...(plugin.operationDidEnd === undefined ? [] : [bracketAfter(plugin.operationDidEnd.bind(plugin))]),
  ]);
  const followers = plugins.flatMap((plugin) => plugin.dataSourceCallDidStart?.bind(plugin) ?? []);
  if (brackets.length === 0 && followers.length === 0) return undefined;
  return ({ input, http, run, state }) => {
    const call = { request: input.request, response: input.head, http, requestIsBatched: input.budget !== undefined };
    const watched = followers.length === 0 ? input : { ...input, watchCall: watchBy(followers, call) };
    const operation = { brackets, call, innermost: runAndKeep, input: watched, http, run, state, answer: undefined };
    return rescued(runWrapped, closeStream, operation as WrappedOperation<typeof state>);
  };
}

function watchBy(
  followers: readonly NonNullable<ServerPlugin['dataSourceCallDidStart']>[],
  operation: OperationCall,
): OperationInput['watchCall'] {
  return (dataSource, request) => joinListeners(followers.map((follow) => follow({ dataSource, request, operation })));
}

interface WrappedOperation<TState> extends Nesting<OperationCall, OperationOutcome>, RunningOperation<TState> {
  /** As soon as the operation itself has it. */
  answer: OperationOutcome | undefined;
}

function runAndKeep(nesting: Nesting<OperationCall, OperationOutcome>): Eventual<OperationOutcome> {
  const operation = nesting as WrappedOperation<unknown>;
  return whenReady(operation.run(operation.input, operation.state), keepAnswer, operation);
}

function keepAnswer(outcome: OperationOutcome, operation: WrappedOperation<unknown>): OperationOutcome {
  operation.answer = outcome;
  return outcome;
}

function runWrapped<TState>(operation: WrappedOperation<TState>): Eventual<OperationOutcome> {
  const ending = nest(operation, 0);
  return whenReady(ending instanceof Promise ? endInTime(ending, operation) : ending, assertAnswer, 'aroundOperation');
}

/** A plugin that hangs behind the operation does not keep its answer. */
function endInTime<TState>(ending: Promise<OperationOutcome>, operation: WrappedOperation<TState>): Promise<OperationOutcome> {
  const onLastMoment = (): OperationOutcome => {
    if (operation.answer === undefined) throw deadlineExceeded();
    return operation.answer;
  };
  return withDeadline(ending, operation.input.invocation, { onLastMoment });
}

/** A plugin that fails behind the operation does not leave its stream open. */
function closeStream<TState>(error: unknown, { answer }: WrappedOperation<TState>): never {
  void answer?.stream?.return();
  throw error;
}

/** Without a `return`, say; in development the message says more. */
function assertAnswer<T>(answer: T, hook: string): T {
  if (typeof answer === 'object') return answer;
  throw new TypeError(`${hook} of a plugin returned no answer.`);
}

/** What one hook of one plugin does around something: all of it, or what comes after. */
interface Bracket<TCall, TResult> {
  readonly around?: (call: TCall, next: () => Promise<TResult>) => Promise<TResult>;
  readonly after?: (result: TResult, nesting: Nesting<TCall, TResult>) => Eventual<TResult>;
}

/** A hook that comes after makes no promise of its own: three of them took as long as the smallest operation. */
function bracketAfter<TCall, TResult>(tell: (call: TCall, result: TResult) => void | Promise<void>): Bracket<TCall, TResult> {
  return {
    after: (result, { call }) => {
      const work = tell(call, result);
      return work === undefined ? result : Promise.resolve(work).then(() => result);
    },
  };
}

/** One object for all steps around one request or operation: closures for them were half of what the hooks of a plugin cost. */
interface Nesting<TCall, TResult> {
  readonly brackets: readonly Bracket<TCall, TResult>[];
  readonly call: TCall;
  readonly innermost: (nesting: Nesting<TCall, TResult>) => Eventual<TResult>;
}

/** Opens the bracket at this place with the rest in it. */
function nest<TCall, TResult>(nesting: Nesting<TCall, TResult>, at: number): Eventual<TResult> {
  const { brackets, innermost } = nesting;
  if (at === brackets.length) return innermost(nesting);
  const { around, after } = brackets[at]!;
  return around === undefined ? whenReady(nest(nesting, at + 1), after!, nesting) : callAround(around, nesting, at);
}

/** Asynchronous, so that what throws at once is a rejection like any other. */
async function callAround<TCall, TResult>(
  around: NonNullable<Bracket<TCall, TResult>['around']>,
  nesting: Nesting<TCall, TResult>,
  at: number,
): Promise<TResult> {
  let inner: TResult | undefined;
  const answer = await around(nesting.call, async () => (inner = await nest(nesting, at + 1)));
  return answer === inner || typeof answer !== 'object' || answer === null
    ? answer
    : ownAnswer(answer, inner as Written | undefined, nesting.call as Partial<OperationCall>);
}

/** The parts of a response, and of an outcome, into which hooks and CORS write. */
type Written = Partial<Pick<HTTPResponse, 'headers'> & Pick<OperationOutcome, 'head' | 'result' | 'errors'>>;

/** An answer that a plugin gives in place of the one that there was may be the same for all: what is written into it is the call's own. */
function ownAnswer<TAnswer extends Written>(answer: TAnswer, inner: Written = {}, call: Partial<OperationCall>): TAnswer {
  const { headers, head, result, errors } = answer;
  const isOwnHead = head === undefined || head === call.response || head === inner.head;
  const isOwnResult = result === undefined || result === null || result === inner.result;
  return {
    ...answer,
    ...(headers !== undefined && headers !== inner.headers && { headers: HeaderMap.copyOf(headers) }),
    ...(!isOwnHead && { head: { ...head, headers: HeaderMap.copyOf(head.headers) } }),
    ...(!isOwnResult && { result: ownPartsOf(result) }),
    ...(errors !== undefined && { errors: ownErrors(errors) }),
  };
}

/** Undefined where no plugin is told of executions. */
export function createTellExecution(plugins: readonly ServerPlugin[]): OperationSettings['tellExecution'] {
  const hooks = plugins.flatMap((plugin) => plugin.executionWillStart?.bind(plugin) ?? []);
  if (hooks.length === 0) return undefined;
  return (state) => {
    const { input, settings, contextValue, source = '' } = state;
    const { document } = state.known!;
    const operation = state.operation!;
    const told = { request: input.request, http: input.http, schema: settings.schema, contextValue, source, document, operation };
    let listing: ExecutionWish['objects'];
    for (const tell of hooks) {
      const { objects } = tell(told) ?? {};
      if (objects !== undefined && (listing === undefined || (listing.naming === undefined && objects.naming !== undefined)))
        listing = objects;
    }
    state.objects = listing?.begin();
  };
}

type Told = Exclude<keyof CallWatch, 'aroundSend'>;
const steps: readonly Told[] = ['found', 'passedOver', 'joined', 'sent', 'answered', 'judged', 'ended'];

/** Several listeners as one that has every step. */
function joinListeners(listeners: readonly (DataSourceCallListener | void)[]): CallWatch {
  const tell = (step: Told) => [
    step,
    (...given: unknown[]) => {
      for (const listener of listeners) (listener?.[step] as ((...given: unknown[]) => void) | undefined)?.(...given);
    },
  ];
  const aroundSend: CallWatch['aroundSend'] = (send) =>
    listeners.reduceRight((next, listener) => (listener?.aroundSend ? () => listener.aroundSend!(next) : next), send)();
  return { ...Object.fromEntries(steps.map(tell)), aroundSend } as CallWatch;
}
