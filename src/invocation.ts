import type { Invocation } from './message/invocation.ts';
import type { Logger } from './operation/logger.ts';

/** Milliseconds that a buffered answer waits for what was handed to `waitUntil`. */
const patience = 1000;

/** How a platform tells that the client of an event went away. */
export type OnLeave = (event: unknown, leave: () => void) => void;

/** One call of the handler. All state of a request hangs on it; none is in a module. */
export class PlatformInvocation implements Invocation {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
  readonly #keepAlive: ((work: Promise<unknown>) => void) | undefined;
  readonly #onLeave: OnLeave | undefined;
  readonly #logger: () => Logger;
  /** Set when the answer is made: from then on nobody can leave without it, and some platforms abort after every answer. */
  hasAnswer = false;
  #controller: AbortController | undefined;
  #work: Promise<unknown>[] | undefined;

  /** Without `keepAlive` the answer waits for work, because the process freezes after it. */
  constructor(
    call: Pick<Invocation, 'event' | 'context' | 'env'>,
    keepAlive: ((work: Promise<unknown>) => void) | undefined,
    onLeave: OnLeave | undefined,
    logger: () => Logger,
  ) {
    this.event = call.event;
    this.context = call.context;
    this.env = call.env;
    this.#keepAlive = keepAlive;
    this.#onLeave = onLeave;
    this.#logger = logger;
  }

  get signal(): AbortSignal {
    return (this.#controller ??= this.#createController()).signal;
  }

  #createController(): AbortController {
    const controller = new AbortController();
    this.#onLeave?.(this.event, () => {
      if (!this.hasAnswer) controller.abort(new Error('The client left before it had its answer.'));
    });
    return controller;
  }

  waitUntil(work: Promise<unknown>): void {
    const watched = Promise.resolve(work).catch((error: unknown) => {
      this.#logger().error('Work handed to waitUntil failed.', error);
    });
    if (this.#keepAlive === undefined) (this.#work ??= []).push(watched);
    else this.#keepAlive(watched);
  }

  /** Whether there is anything for {@link settled} to wait for. */
  get hasWork(): boolean {
    return this.#work !== undefined;
  }

  /** Resolves when the work handed to `waitUntil` is done, or has been waited for long enough. */
  async settled(): Promise<void> {
    if (this.#work === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), patience);
    });
    const outcome = await Promise.race([done(this.#work), timeUp]);
    clearTimeout(timer);
    if (outcome === 'late')
      this.#logger().warn(`Work handed to waitUntil was not done ${patience} ms after the answer. The platform may freeze it.`);
  }
}

/** Work may hand over more work before it ends. */
async function done(work: Promise<unknown>[]): Promise<void> {
  while (work.length > 0) await Promise.all(work.splice(0));
}
