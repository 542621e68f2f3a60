import type { OperationInvocation } from '../../shared/index.ts';

type Signaling = Pick<OperationInvocation, 'signal'>;

/** The signal of one operation, as `context` gets it: fires with that of its call, and when the operation ends early because of an error. */
export class OperationSignal {
  #call: Signaling;
  // Created when first read: most operations have no use for it.
  #controller: AbortController | undefined = undefined;

  constructor(call: Signaling) {
    this.#call = call;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) this.#follow((this.#controller = new AbortController()));
    return this.#controller!.signal;
  }

  /** Fires with another view of the call from now on: an operation that runs to its end does not end when the client leaves. */
  follow(call: Signaling): void {
    this.#call = call;
    if (this.#controller !== undefined) this.#follow(this.#controller);
  }

  stop(reason: Error): void {
    (this.#controller ??= new AbortController()).abort(reason);
  }

  /** `AbortSignal.any` could not be aborted alone. */
  #follow(controller: AbortController): void {
    const call = this.#call;
    const { signal } = call;
    const abort = (): void => {
      if (call === this.#call) controller.abort(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
}
