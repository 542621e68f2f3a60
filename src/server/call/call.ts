import type { HTTPRequest, HTTPResponse, HeaderMap, StreamedResponse } from '../../shared/index.ts';
import type { HTTPCall, HTTPSettings } from '../http/http-call.ts';
import type { Streaming } from '../http/streams/streaming.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import type { Starter } from '../startup/start.ts';
import { PlatformInvocation } from './invocation.ts';

/** The arguments of a platform's call. */
export interface CallArguments {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
}

/** One call of the handler on its way through the pipeline. After `arrival` it is an {@link HTTPCall}. */
export interface Call extends Omit<HTTPCall, 'settings' | 'request'> {
  readonly adapter: PlatformAdapter<unknown>;
  readonly starter: Starter;
  readonly invocation: PlatformInvocation;
  /** Undefined until the event has been read. */
  request: HTTPRequest | undefined;
  /** Undefined until the server has started. */
  settings: HTTPSettings | undefined;
  /** The headers to which the common ones have been added. They are not those of `response` if a plugin has replaced it since. */
  finished: HeaderMap | undefined;
}

/** A call whose event has been read, on a server that has started. */
export type ArrivedCall = Call & HTTPCall;

/** What the calls of one handler share. */
export interface Serving {
  readonly starter: Starter;
  /** Undefined: every operation gets one answer. */
  readonly streaming: Streaming | undefined;
}

export function createCall(adapter: PlatformAdapter<unknown>, { starter, streaming }: Serving, given: CallArguments): Call {
  doNotWaitForEventLoop(given.context);
  return {
    adapter,
    starter,
    invocation: new PlatformInvocation(given, adapter, starter),
    streaming: adapter.toStreamResult && streaming,
    request: undefined,
    settings: undefined,
    view: undefined,
    encode: undefined,
    negotiation: undefined,
    parsed: undefined,
    outcome: undefined,
    response: undefined,
    finished: undefined,
  };
}

/** Older Lambda runtimes wait until the event loop is empty: an open database connection would delay the answer until the timeout. */
function doNotWaitForEventLoop(context: unknown): void {
  if (typeof context !== 'object' || context === null || !('callbackWaitsForEmptyEventLoop' in context)) return;
  Reflect.set(context, 'callbackWaitsForEmptyEventLoop', false);
}

/** True for a response whose body is a stream. */
export function isStreamed(response: HTTPResponse | StreamedResponse): response is StreamedResponse {
  return typeof response.body === 'object' && response.body !== null;
}
