import type { ExecutionInvocation, Milliseconds, OperationInvocation } from '../../shared/index.ts';
import type { OperationSignal } from './operation-signal.ts';

/** A view of a call whose signal is that of an operation, which can end early because of an error. */
export class StoppableInvocation implements OperationInvocation, ExecutionInvocation {
  readonly #call: OperationInvocation;
  readonly #signal: OperationSignal;

  constructor(call: OperationInvocation, signal: OperationSignal) {
    this.#call = call;
    this.#signal = signal;
  }

  stop(reason: Error): void {
    this.#signal.stop(reason);
  }

  get signal(): AbortSignal {
    return this.#signal.signal;
  }

  get untilDeadline(): OperationInvocation {
    return new StoppableInvocation(this.#call.untilDeadline, this.#signal);
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
