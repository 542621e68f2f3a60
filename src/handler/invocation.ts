import { Cancellation, clientLeft } from './cancellation.ts';
import type { CallPlatform, CallSettings } from './cancellation.ts';
import type { ResultLimit } from '../message/answer-size.ts';
import type { Invocation, Milliseconds } from '../message/invocation.ts';

/** Milliseconds that a buffered answer waits for what was handed to `waitUntil`. */
const patience = 1000;

/** One call of the handler. All state of a request hangs on it; none is in a module. */
export class PlatformInvocation implements Invocation {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
  readonly resultLimit: ResultLimit;
  readonly #platform: CallPlatform;
  readonly #settings: CallSettings;
  // Made for the first who asks: an operation in which nothing is asynchronous asks for none of it, and does not pay.
  #ending: Cancellation | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #work: Set<Promise<unknown>> | undefined = undefined;
  #hasAnswer = false;

  constructor(call: Pick<Invocation, 'event' | 'context' | 'env'>, platform: CallPlatform, settings: CallSettings) {
    this.event = call.event;
    this.context = call.context;
    this.env = call.env;
    this.resultLimit = platform;
    this.#platform = platform;
    this.#settings = settings;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const ending = this.#awaitEnding();
      ending.watch();
      ending.controller = this.#controller;
      if (ending.reason !== undefined) this.#controller.abort(ending.reason);
    }
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#hasAnswer;
  }

  deadlineLeft(): Milliseconds | undefined {
    const deadline = this.#makeEnding().deadline();
    return deadline && deadline.at - Date.now();
  }

  onCancel(callback: (reason: Error) => void): () => void {
    const ending = this.#awaitEnding();
    ending.watch();
    return ending.onCancel(callback);
  }

  onLastMoment(callback: () => void): () => void {
    return this.#awaitEnding().onLastMoment(callback);
  }

  waitUntil(work: Promise<unknown>): void {
    const watched: Promise<unknown> = Promise.resolve(work)
      .catch((error: unknown) => {
        this.#settings.logger().error('Work handed to waitUntil failed.', error);
      })
      // A stream hands over work for as long as it lasts: what is done must not be kept until its end.
      .then(() => this.#work?.delete(watched));
    const keepAlive = this.#platform.keepAlive?.(this.context);
    // Without it the answer waits for work, because the process freezes after it.
    if (keepAlive === undefined) (this.#work ??= new Set()).add(watched);
    else keepAlive(watched);
  }

  /** The answer has been made: from then on nobody can leave without it, some platforms abort after every answer, and the deadline is kept. */
  answered(): void {
    this.#hasAnswer = true;
    this.#ending?.stop();
  }

  left(): void {
    if (this.#hasAnswer) return;
    this.#makeEnding().cancel(clientLeft());
    this.answered();
  }

  /** Whether there is anything for {@link settled} to wait for. */
  get hasWork(): boolean {
    return this.#work !== undefined && this.#work.size > 0;
  }

  /** Resolves when the work handed to `waitUntil` is done, or has been waited for long enough. */
  async settled(): Promise<void> {
    if (this.#work === undefined) return;
    const deadline = this.#makeEnding().deadline();
    const left = deadline === undefined ? Infinity : deadline.lastMoment - Date.now();
    const limit = Math.max(0, Math.min(patience, Math.floor(left)));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const cancel = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), limit);
    });
    const outcome = await Promise.race([done(this.#work), cancel]);
    clearTimeout(timer);
    if (outcome === 'late')
      this.#settings.logger().warn(`Work handed to waitUntil was not done ${limit} ms after the answer. The platform may freeze it.`);
  }

  /** The options are known now, which they need not have been when the call began. */
  optionsAreKnown(): void {
    if (!this.#hasAnswer) this.#ending?.optionsAreKnown();
  }

  /** The ending, with somebody to watch for it. */
  #awaitEnding(): Cancellation {
    const ending = this.#makeEnding();
    if (this.#hasAnswer || ending.isAwaited) return ending;
    ending.start(() =>
      this.#platform.onLeave?.(this.event as never, () => {
        if (!this.#hasAnswer) ending.cancel(clientLeft());
      }),
    );
    return ending;
  }

  #makeEnding(): Cancellation {
    return (this.#ending ??= new Cancellation(this, this.#platform, this.#settings));
  }
}

/** Work may hand over more work before it ends. */
async function done(work: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (work.size > 0) await Promise.all(work);
}
