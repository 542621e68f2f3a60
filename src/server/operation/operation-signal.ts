import type { OperationInvocation } from '../../shared/index.ts';

/** The signal of one operation, as `context` gets it: fires with that of its call, and when the operation ends early because of an error. */
export class OperationSignal {
  readonly #call: Pick<OperationInvocation, 'signal'>;
  // Created when first read: most operations have no use for it.
  #controller: AbortController | undefined = undefined;

  constructor(call: Pick<OperationInvocation, 'signal'>) {
    this.#call = call;
  }

  get signal(): AbortSignal {
    return (this.#controller ??= followerOf(this.#call.signal)).signal;
  }

  stop(reason: Error): void {
    (this.#controller ??= new AbortController()).abort(reason);
  }
}

/** A controller that aborts with a signal. `AbortSignal.any` cannot be aborted alone. */
function followerOf(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  const follow = (): void => controller.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return controller;
}
