import type { ExecutionInvocation, Milliseconds, OperationInvocation } from '../../shared/index.ts';

/** A view of a call whose signal also fires when this operation ends early because of an error. */
export class StoppableInvocation implements OperationInvocation, ExecutionInvocation {
  readonly #call: OperationInvocation;
  readonly #controller = new AbortController();
  #signal: AbortSignal | undefined = undefined;

  constructor(call: OperationInvocation) {
    this.#call = call;
  }

  stop(reason: Error): void {
    this.#controller.abort(reason);
  }

  get signal(): AbortSignal {
    return (this.#signal ??= AbortSignal.any([this.#call.signal, this.#controller.signal]));
  }

  get untilDeadline(): OperationInvocation {
    return new StoppableInvocation(this.#call.untilDeadline);
  }

  get isOver(): boolean {
    return this.#call.isOver;
  }

  onCancel(callback: (reason: Error) => void): () => void {
    return this.#call.onCancel(callback);
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
