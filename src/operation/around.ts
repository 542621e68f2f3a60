import type { CallWatch } from '../datasource/call-watch.ts';
import type { HTTPResponse, StreamedResponse } from '../message/http-messages.ts';
import { deadlineExceeded } from './errors.ts';
import { withDeadline } from './with-deadline.ts';
import type { OperationOutcome } from './types.ts';
import type { DataSourceCallListener, OperationCall, RequestCall, ServerPlugin } from './plugin.ts';
import type { OperationInput } from './state.ts';

// Mistakes of plugins, a forgotten return or a second next(), are told in development: development/plugin-check.ts.

/** Runs an operation inside the plugins that wrap operations. Rejects when one of them fails. */
export type WrapOperation = (input: OperationInput, http: RequestCall, run: RunOperation) => Promise<OperationOutcome>;
type RunOperation = (input: OperationInput) => OperationOutcome | Promise<OperationOutcome>;

/** Answers a request inside the plugins that wrap requests. Rejects when one of them fails. */
export type WrapRequest = (call: RequestCall, respond: () => Response | Promise<Response>) => Promise<Response>;
type Response = HTTPResponse | StreamedResponse;

/** A view of a request, in place of the request as it came. */
export type ViewRequest = (call: RequestCall) => RequestCall;

/** Undefined where no plugin has a view of requests. Each sees the view of the one before. */
export function createViewRequest(plugins: readonly ServerPlugin[]): ViewRequest | undefined {
  const views = plugins.flatMap((plugin) => plugin.viewRequest?.bind(plugin) ?? []);
  return views.length === 0 ? undefined : (call) => views.reduce((seen, view) => view(seen), call);
}

/** Those that are to come first do, else the order stays. */
export function inOrder(plugins: readonly ServerPlugin[]): readonly ServerPlugin[] {
  if (!plugins.some(({ position }) => position === 'first')) return plugins;
  return [...plugins.filter(({ position }) => position === 'first'), ...plugins.filter(({ position }) => position !== 'first')];
}

/** Undefined where no plugin wraps requests: then nothing of this is done. */
export function createWrapRequest(plugins: readonly ServerPlugin[]): WrapRequest | undefined {
  const arounds = plugins.flatMap((plugin) => plugin.aroundRequest?.bind(plugin) ?? []);
  if (arounds.length === 0) return undefined;
  return async (call, respond) => assertAnswer('aroundRequest', await nest({ arounds, call, innermost: respond }));
}

/** Undefined where no plugin wraps operations, or follows the calls of data sources. */
export function createWrapOperation(plugins: readonly ServerPlugin[]): WrapOperation | undefined {
  const arounds = plugins.flatMap((plugin) => plugin.aroundOperation?.bind(plugin) ?? []);
  const followers = plugins.flatMap((plugin) => plugin.dataSourceCallDidStart?.bind(plugin) ?? []);
  if (arounds.length === 0 && followers.length === 0) return undefined;
  return (input, http, run) => {
    const call: OperationCall = { request: input.request, response: input.head, http };
    const watchCall: OperationInput['watchCall'] = (dataSource, request) =>
      joinListeners(followers.map((follow) => follow({ dataSource, request, operation: call })));
    return wrapOperation({ arounds, call, innermost: () => run(followers.length === 0 ? input : { ...input, watchCall }) }, input);
  };
}

/** A plugin that hangs behind the operation does not keep its answer; one that fails does not leave its stream open. */
async function wrapOperation(
  brackets: Brackets<OperationCall, OperationOutcome>,
  { invocation }: OperationInput,
): Promise<OperationOutcome> {
  let answer: OperationOutcome | undefined;
  const innermost = async (): Promise<OperationOutcome> => (answer = await brackets.innermost());
  const onLastMoment = (): OperationOutcome => {
    if (answer === undefined) throw deadlineExceeded();
    return answer;
  };
  try {
    return assertAnswer('aroundOperation', await withDeadline(nest({ ...brackets, innermost }), invocation, { onLastMoment }));
  } catch (error) {
    void answer?.stream?.return();
    throw error;
  }
}

/** Without a `return`, say; in development the message says more. */
function assertAnswer<T>(hook: string, answer: T): T {
  if (typeof answer === 'object') return answer;
  throw new TypeError(`${hook} of a plugin returned no answer.`);
}

interface Brackets<TCall, TResult> {
  readonly arounds: readonly ((call: TCall, next: () => Promise<TResult>) => Promise<TResult>)[];
  readonly call: TCall;
  readonly innermost: () => TResult | Promise<TResult>;
}

/** Calls the first with the rest as its `next`. Asynchronous, so that what throws at once is a rejection like any other. */
async function nest<TCall, TResult>(brackets: Brackets<TCall, TResult>, at = 0): Promise<TResult> {
  const { arounds, call, innermost } = brackets;
  return at === arounds.length ? innermost() : arounds[at]!(call, () => nest(brackets, at + 1));
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
