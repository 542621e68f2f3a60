import type { Seconds } from '../../../datasources/index.ts';
import { waitAtMost } from '../../../shared/index.ts';
import type { FoundAnswer, SentAnswer } from './answer-store.ts';

/** A new answer, for equal operations that arrived in the meantime. Undefined: it may not be shared. */
type Shared = (SentAnswer & { readonly maxAge: Seconds }) | undefined;

/** One operation in progress, for which others wait. */
export interface Flight {
  /** The moment of the store at which it began. */
  readonly moment: string;
  /** The time at which it began, by `performance.now()`. */
  readonly startedAtMs: number;
  readonly landed: Promise<Shared>;
  /** Ends the flight, and shares the answer if there is one. Only the first call counts. */
  readonly land: (answer: Shared) => void;
}

/** The longest time that other operations wait for one. After that they run themselves. */
const maxWaitMs = 2_000;
/** The time after an answer that could not be shared, in which no operation waits for its key: they would run one after the other. */
const noSharingMs = 10_000;
const maxKeys = 1_000;

/**
 * Single-flight: of several equal operations that miss at once, one runs, and the others get its answer if the store may keep it.
 * If it may not, all of them run at once, and no operation waits for that key for a while.
 */
export class Flights {
  readonly #flights = new Map<string, Flight>();
  /** For each key, the time until which no operation waits. */
  readonly #notShared = new Map<string, number>();

  /** True when an operation is in progress. */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /** The operation in progress. Undefined: none has started since the last purge. */
  of(key: string, moment: string | undefined): Flight | undefined {
    const flight = this.#flights.get(key);
    return flight !== undefined && flight.moment === moment ? flight : undefined;
  }

  /** Waits for a flight, at most half of the milliseconds that are left. Undefined: it shares no answer, or takes too long. */
  async wait({ landed }: Flight, deadlineLeft: number): Promise<FoundAnswer | undefined> {
    const answer = await waitAtMost(Math.min(maxWaitMs, deadlineLeft / 2), landed);
    if (answer === undefined || answer === 'late') return undefined;
    // The answer is copied, as in the store, because hooks may modify it.
    const { resultJSON, ...parts } = answer;
    return { ...parts, result: JSON.parse(resultJSON) as FoundAnswer['result'] };
  }

  /** Begins a flight. Undefined: no operation may wait for this key, or another flight is in progress. */
  begin(key: string, moment: string | undefined): Flight | undefined {
    if (moment === undefined || this.#flights.has(key) || (this.#notShared.get(key) ?? 0) > Date.now()) return undefined;
    const { promise: landed, resolve } = Promise.withResolvers<Shared>();
    const flight: Flight = {
      moment,
      startedAtMs: performance.now(),
      landed,
      land: (answer) => {
        if (this.#flights.get(key) !== flight) return;
        clearTimeout(timer);
        this.#flights.delete(key);
        if (answer === undefined) this.#stopSharing(key);
        resolve(answer);
      },
    };
    this.#flights.set(key, flight);
    // A request that gets no answer, because another plugin has failed, must not hold the key.
    const timer = setTimeout(() => flight.land(undefined), maxWaitMs);
    timer.unref?.();
    return flight;
  }

  #stopSharing(key: string): void {
    if (this.#notShared.size >= maxKeys) this.#notShared.clear();
    this.#notShared.set(key, Date.now() + noSharingMs);
  }
}
