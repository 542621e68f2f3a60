import { waitAtMost } from '../shared/index.ts';
import type { HTTPRequest, HTTPResponse, HeaderMap, Invocation, Milliseconds, ResultLimit, StreamedResponse } from '../shared/index.ts';
import type { HTTPSettings } from './http/http-settings.ts';
import type { Streaming } from './http/streams/streaming.ts';
import type { EncodeBody } from './operation/around.ts';
import type { RequestCall } from './operation/plugin.ts';
import type { Logger } from './operation/types.ts';
import { runtime } from './platform/adapter.ts';
import type { PlatformAdapter } from './platform/adapter.ts';
import { Clock } from './clock.ts';
import type { ClockView } from './clock.ts';
import { deadlineOf, defaultDeadline } from './startup/deadline.ts';
import type { Deadline } from './startup/deadline.ts';
import type { Starter } from './startup/start.ts';

/** The arguments of a platform's call. */
export interface CallArguments {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
}

/** What the calls of one handler share. */
export interface Serving {
  readonly starter: Starter;
  /** Undefined: every operation gets one answer. */
  readonly streaming: Streaming | undefined;
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
  /** The response of `arrive`, which plugins around the request may have replaced. */
  arrived: HTTPResponse | StreamedResponse | undefined = undefined;
  /** The response that is sent. */
  departed: HTTPResponse | StreamedResponse | undefined = undefined;
  /** The headers to which the common ones have been added. They are not those of the response if a plugin has replaced it since. */
  finished: HeaderMap | undefined = undefined;
  /** True after the answer: no new work starts. */
  isAnswered = false;
  /** Called when the answer is complete. */
  onAnswered: (() => void) | undefined = undefined;
  // Created on first use.
  #clock: Clock | undefined = undefined;
  #view: ClockView | undefined = undefined;
  #work: BackgroundWork | undefined = undefined;

  constructor(adapter: PlatformAdapter<unknown>, { starter, streaming }: Serving, { event, context, env }: CallArguments) {
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

  get clock(): Clock {
    return (this.#clock ??= new Clock(this));
  }

  get signal(): AbortSignal {
    return (this.#view ??= this.clock.view({ until: 'disconnect' })).signal;
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.clock.deadlineLeft();
  }

  /** The moments at which a call that began then must end. Undefined: there is no limit. */
  findDeadline(begunAt: Milliseconds): Deadline | undefined {
    const server = this.starter.prepared;
    const settings = server === undefined ? defaultDeadline : server.deadline;
    const assumed = this.adapter.timeLimit?.(this.context);
    return settings && deadlineOf(settings, { context: this.context, assumed, begunAt });
  }

  /** Calls back if the client disconnects, or has disconnected already. */
  watchClient(leave: () => void): void {
    this.adapter.onLeave?.(this.event, leave);
  }

  /** The deadline depends on the options, which may not have been known when the call began. */
  optionsAreKnown(): void {
    this.#clock?.optionsAreKnown();
  }

  /** Called when the answer is complete. Ignores clients that leave later: some platforms abort the signal after every answer. */
  answered(): void {
    if (this.isAnswered) return;
    this.isAnswered = true;
    this.#clock?.stop();
    this.onAnswered?.();
  }

  /** Called when the client disconnects before the answer: cancels the work, and ends the call. */
  left(): void {
    this.clock.left();
  }

  waitUntil(work: Promise<unknown>): void {
    const { starter, adapter } = this;
    const logged = Promise.resolve(work).catch((error: unknown) => starter.logger().error('Work passed to waitUntil failed.', error));
    const watched = starter.calls.add(logged);
    if (adapter.keepAlive === undefined) {
      (this.#work ??= new BackgroundWork()).add(watched);
      return;
    }
    const keepAlive = adapter.keepAlive(this.context);
    if (keepAlive === undefined) warnOfLostWork(starter);
    else keepAlive(watched);
  }

  closeAfter(work: PromiseLike<unknown>): void {
    void this.starter.calls.add(Promise.resolve(work)).catch(() => {});
  }

  /** True if {@link settled} would wait. */
  get hasWork(): boolean {
    return this.#work?.isDone === false;
  }

  /** Waits for the work passed to `waitUntil`, up to a limit. */
  async settled(): Promise<void> {
    await this.#work?.settled(this.clock.deadline()?.lastMoment, () => this.starter.logger());
  }

  /** A stream has the answer: its end is the end of the call. */
  answerIn({ body }: StreamedResponse): void {
    // Workers may drop a stream without a notice, and a process there is never closed.
    if (runtime() !== 'Cloudflare-Workers') this.onAnswered = this.starter.calls.addStream(body);
  }
}

/** The platform's objects and the lifetime of a call, as plugins see them: without the fields of the pipeline. */
export class PlatformInvocation implements Invocation {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
  readonly #call: Call;

  constructor(call: Call) {
    this.event = call.event;
    this.context = call.context;
    this.env = call.env;
    this.#call = call;
  }

  get clock(): Clock {
    return this.#call.clock;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get resultLimit(): ResultLimit {
    return this.#call.adapter;
  }

  get waitsForWork(): boolean {
    return this.#call.adapter.keepAlive === undefined;
  }

  waitUntil(work: Promise<unknown>): void {
    this.#call.waitUntil(work);
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.#call.clock.deadlineLeft();
  }
}

/** A call whose event has been read, on a server that has started. */
export type ArrivedCall = Call & { readonly request: HTTPRequest; readonly settings: HTTPSettings };

/** True for a response whose body is a stream. */
export function isStreamed(response: HTTPResponse | StreamedResponse): response is StreamedResponse {
  return typeof response.body === 'object' && response.body !== null;
}

/** Milliseconds that a buffered response waits for work passed to `waitUntil`. */
const longestWait = 1000;

/** Work that continues after the answer. On platforms that freeze the process after the response, the response waits for it. */
class BackgroundWork {
  readonly #work = new Set<Promise<unknown>>();

  /** Adds work that never rejects. Finished work is removed, because a long stream may add much of it. */
  add(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.then(() => this.#work.delete(work));
  }

  get isDone(): boolean {
    return this.#work.size === 0;
  }

  /** Resolves when all work is done, at `lastMoment`, or after one second, whichever is first. */
  async settled(lastMoment: Milliseconds | undefined, logger: () => Logger): Promise<void> {
    const limit = Math.max(0, Math.min(longestWait, Math.floor((lastMoment ?? Infinity) - Date.now())));
    if ((await waitAtMost(limit, this.#done())) === 'late')
      logger().warn(`Work passed to waitUntil did not finish within ${limit} ms of the answer. The platform may freeze it.`);
  }

  /** Loops, because work may add more work before it ends. */
  async #done(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
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
