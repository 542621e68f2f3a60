import type { Milliseconds, OperationInvocation } from '../../shared/index.ts';

/** A call that reports its deadline separately from its cancellation. */
interface CallWithDeadline extends Pick<OperationInvocation, 'isOver' | 'deadlineLeft' | 'onLastMoment' | 'waitUntil'> {
  onDeadline(callback: (reason: Error) => void): () => void;
}

/** A view of a call that only ends at the deadline, even if the client leaves. */
export class DeadlineInvocation implements OperationInvocation {
  readonly #call: CallWithDeadline;
  #controller: AbortController | undefined = undefined;

  constructor(call: CallWithDeadline) {
    this.#call = call;
  }

  get untilDeadline(): OperationInvocation {
    return this;
  }

  get isOver(): boolean {
    return this.#call.isOver;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController());
      this.#call.onDeadline((reason) => controller.abort(reason));
    }
    return this.#controller.signal;
  }

  onCancel(callback: (reason: Error) => void): () => void {
    return this.#call.onDeadline(callback);
  }

  onLastMoment(callback: () => void): () => void {
    return this.#call.onLastMoment(callback);
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.#call.deadlineLeft();
  }

  waitUntil(work: Promise<unknown>): void {
    this.#call.waitUntil(work);
  }
}
