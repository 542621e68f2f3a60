import type { CallWatch } from '../datasource/call-watch.ts';
import { rescued, whenReady } from '../message/eventual.ts';
import type { Eventual } from '../message/eventual.ts';
import type { HTTPResponse, StreamedResponse } from '../message/http-messages.ts';
import { deadlineExceeded } from './errors.ts';
import { withDeadline } from './with-deadline.ts';
import type { OperationOutcome } from './types.ts';
import type { DataSourceCallListener, ExecutionWish, OperationCall, RequestCall, ServerPlugin } from './plugin.ts';
import type { OperationInput, OperationSettings } from './state.ts';

// Mistakes of plugins, a forgotten return or a second next(), are told in development: development/plugin-check.ts.

/** Runs an operation inside the plugins that wrap operations, or are told of their end. Throws or rejects when one of them fails. */
export type WrapOperation = (input: OperationInput, http: RequestCall, run: RunOperation) => Eventual<OperationOutcome>;
type RunOperation = (input: OperationInput) => Eventual<OperationOutcome>;

/** Answers a request inside the plugins that wrap requests, or are told of responses. Throws or rejects when one of them fails. */
export type WrapRequest = (call: RequestCall, respond: () => Eventual<Response>) => Eventual<Response>;
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
  if (!plugins.some(({ position }) => position === 'first')) return plugins;
  return [...plugins.filter(({ position }) => position === 'first'), ...plugins.filter(({ position }) => position !== 'first')];
}

/** Undefined where no plugin wraps requests, or is told of responses: then nothing of this is done. */
export function createWrapRequest(plugins: readonly ServerPlugin[]): WrapRequest | undefined {
  const brackets = plugins.flatMap((plugin): Bracket<RequestCall, Response>[] => [
    ...(plugin.aroundRequest === undefined ? [] : [{ around: plugin.aroundRequest.bind(plugin) }]),
    ...(plugin.responseWillBeSent === undefined ? [] : [{ after: plugin.responseWillBeSent.bind(plugin) }]),
  ]);
  if (brackets.length === 0) return undefined;
  return (call, respond) => whenReady(nest({ brackets, call, innermost: respond }), assertAnswer, 'aroundRequest');
}

/** Undefined where no plugin wraps operations, is told of their end, or follows the calls of data sources. */
export function createWrapOperation(plugins: readonly ServerPlugin[]): WrapOperation | undefined {
  const brackets = plugins.flatMap((plugin): Bracket<OperationCall, OperationOutcome>[] => [
    ...(plugin.aroundOperation === undefined ? [] : [{ around: plugin.aroundOperation.bind(plugin) }]),
    ...(plugin.operationDidEnd === undefined ? [] : [{ after: plugin.operationDidEnd.bind(plugin) }]),
  ]);
  const followers = plugins.flatMap((plugin) => plugin.dataSourceCallDidStart?.bind(plugin) ?? []);
  if (brackets.length === 0 && followers.length === 0) return undefined;
  return (input, http, run) => {
    const call = { request: input.request, response: input.head, http, requestIsBatched: input.budget !== undefined };
    if (followers.length === 0) return wrapOperation({ brackets, call, innermost: () => run(input) }, input);
    const watchCall: OperationInput['watchCall'] = (dataSource, request) =>
      joinListeners(followers.map((follow) => follow({ dataSource, request, operation: call })));
    return wrapOperation({ brackets, call, innermost: () => run({ ...input, watchCall }) }, input);
  };
}

/** A plugin that hangs behind the operation does not keep its answer; one that fails does not leave its stream open. */
function wrapOperation(nesting: Nesting<OperationCall, OperationOutcome>, { invocation }: OperationInput): Eventual<OperationOutcome> {
  let answer: OperationOutcome | undefined;
  const keep = (outcome: OperationOutcome): OperationOutcome => (answer = outcome);
  const innermost = (): Eventual<OperationOutcome> => whenReady(nesting.innermost(), keep, undefined);
  const onLastMoment = (): OperationOutcome => {
    if (answer === undefined) throw deadlineExceeded();
    return answer;
  };
  const end = (): Eventual<OperationOutcome> => {
    const ending = nest({ ...nesting, innermost });
    const inTime = ending instanceof Promise ? withDeadline(ending, invocation, { onLastMoment }) : ending;
    return whenReady(inTime, assertAnswer, 'aroundOperation');
  };
  const fail = (error: unknown): never => {
    void answer?.stream?.return();
    throw error;
  };
  return rescued(end, fail, undefined);
}

/** Without a `return`, say; in development the message says more. */
function assertAnswer<T>(answer: T, hook: string): T {
  if (typeof answer === 'object') return answer;
  throw new TypeError(`${hook} of a plugin returned no answer.`);
}

/** What one hook of one plugin does around something: all of it, or what comes after. */
interface Bracket<TCall, TResult> {
  readonly around?: (call: TCall, next: () => Promise<TResult>) => Promise<TResult>;
  readonly after?: (call: TCall, result: TResult) => void | Promise<void>;
}

interface Nesting<TCall, TResult> {
  readonly brackets: readonly Bracket<TCall, TResult>[];
  readonly call: TCall;
  readonly innermost: () => Eventual<TResult>;
}

/** Opens the first bracket with the rest in it. A hook that comes after makes no promise of its own: three of them took as long as the smallest operation. */
function nest<TCall, TResult>(nesting: Nesting<TCall, TResult>, at = 0): Eventual<TResult> {
  const { brackets, call, innermost } = nesting;
  if (at === brackets.length) return innermost();
  const { around, after } = brackets[at]!;
  if (around !== undefined) return callAround(around, call, () => nest(nesting, at + 1));
  return whenReady(nest(nesting, at + 1), tellAfter<TCall, TResult>, { call, after: after! });
}

/** Asynchronous, so that what throws at once is a rejection like any other. */
async function callAround<TCall, TResult>(
  around: NonNullable<Bracket<TCall, TResult>['around']>,
  call: TCall,
  next: () => Eventual<TResult>,
): Promise<TResult> {
  return around(call, async () => next());
}

function tellAfter<TCall, TResult>(
  result: TResult,
  { call, after }: { readonly call: TCall; readonly after: NonNullable<Bracket<TCall, TResult>['after']> },
): Eventual<TResult> {
  const work = after(call, result);
  return work === undefined ? result : Promise.resolve(work).then(() => result);
}

/** Undefined where no plugin is told of executions. */
export function createTellExecution(plugins: readonly ServerPlugin[]): OperationSettings['tellExecution'] {
  const hooks = plugins.flatMap((plugin) => plugin.executionWillStart?.bind(plugin) ?? []);
  if (hooks.length === 0) return undefined;
  return (state) => {
    const { input, settings, contextValue, source = '', execution } = state;
    const { document, operation } = execution!;
    const told = { request: input.request, http: input.http, schema: settings.schema, contextValue, source, document, operation };
    let listing: ExecutionWish['objects'];
    for (const tell of hooks) {
      const { objects } = tell(told) ?? {};
      if (objects !== undefined && (listing === undefined || (listing.naming === undefined && objects.naming !== undefined)))
        listing = objects;
    }
    if (listing === undefined) return;
    state.objects = listing.begin();
    state.execution = { ...execution!, objects: state.objects };
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
