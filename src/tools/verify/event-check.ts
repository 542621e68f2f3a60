import { print } from 'graphql';

import type { PlannedExecution } from '../../executor/index.ts';

/** Checks that each event that the source of a subscription yields is executed, once and in order. */
export class EventCheck {
  /** The events that were yielded and not executed, by subscription. */
  readonly #waiting = new WeakMap<PlannedExecution, unknown[]>();
  readonly #fail: (difference: Error) => never;

  constructor(fail: (difference: Error) => never) {
    this.#fail = fail;
  }

  /** Returns the same events. An event is requested only after the one before was executed. */
  watch(subscription: PlannedExecution, events: AsyncIterable<unknown>): AsyncIterable<unknown> {
    const waiting: unknown[] = [];
    this.#waiting.set(subscription, waiting);
    const source = events[Symbol.asyncIterator]();
    const next = async (): Promise<IteratorResult<unknown>> => {
      if (waiting.length > 0) this.#fail(eventError('did not execute an event of its source', subscription));
      const step = await source.next();
      if (step.done !== true) waiting.push(step.value);
      return step;
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: async () => (await source.return?.()) ?? { done: true, value: undefined } }) };
  }

  /** Called for each execution. */
  execute(execution: PlannedExecution): void {
    const waiting = execution.eventOf && this.#waiting.get(execution.eventOf);
    if (waiting === undefined) return;
    if (waiting.length === 0 || !Object.is(waiting.shift(), execution.rootValue))
      this.#fail(eventError('executed an event that its source did not yield', execution));
  }
}

function eventError(what: string, { operation }: PlannedExecution): Error {
  return new Error(`The server ${what}. Please report it.\n${print(operation)}`);
}
