import type { Seconds } from '../../../cache/key-value-cache.ts';
import type { FoundAnswer, SentAnswer } from './answer-store.ts';

/** A new answer, for equal operations that came meanwhile. Undefined: they may not have it. */
type Shared = (SentAnswer & { readonly maxAge: Seconds }) | undefined;

/** One operation that is under way, for which others wait. */
export interface Flight {
  /** The moment of the store at which it began. */
  readonly moment: string;
  readonly landed: Promise<Shared>;
  /** Ends the flight, and shares the answer if there is one. Only the first call counts. */
  readonly land: (answer: Shared) => void;
}

/** The most milliseconds that other operations wait for one. After that they run themselves. */
const patience = 2_000;
/** Milliseconds for which no operation waits for a key whose answer could not be shared: they would run one after the other. */
const alone = 10_000;
const maxKeys = 1_000;

/**
 * Single-flight: of several equal operations that miss at once, one runs, and the others get its answer if the store may keep it.
 * Where it may not, all of them run at once, and no operation waits for that key for a while.
 */
export class Flights {
  readonly #flights = new Map<string, Flight>();
  /** The end of that time, by key. */
  readonly #alone = new Map<string, number>();

  /** True when an operation is under way. */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /** The operation that is under way. Undefined: there is none that began after the last purge. */
  of(key: string, moment: string | undefined): Flight | undefined {
    const flight = this.#flights.get(key);
    return flight !== undefined && flight.moment === moment ? flight : undefined;
  }

  /** Waits for a flight, at most half of the milliseconds that are left. Undefined: it shares no answer, or takes too long. */
  async wait({ landed }: Flight, deadlineLeft: number): Promise<FoundAnswer | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), Math.min(patience, deadlineLeft / 2));
    });
    try {
      const answer = await Promise.race([landed, late]);
      if (answer === undefined) return undefined;
      // A result of its own, as from the store: hooks may write to it.
      const { resultJSON, ...parts } = answer;
      return { ...parts, result: JSON.parse(resultJSON) as FoundAnswer['result'] };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Begins a flight. Undefined: no operation has to wait for this key, or another flight is under way. */
  begin(key: string, moment: string | undefined): Flight | undefined {
    if (moment === undefined || this.#flights.has(key) || (this.#alone.get(key) ?? 0) > Date.now()) return undefined;
    let resolve!: (answer: Shared) => void;
    const landed = new Promise<Shared>((one) => {
      resolve = one;
    });
    const flight: Flight = {
      moment,
      landed,
      land: (answer) => {
        if (this.#flights.get(key) !== flight) return;
        clearTimeout(timer);
        this.#flights.delete(key);
        if (answer === undefined) this.#leaveAlone(key);
        resolve(answer);
      },
    };
    this.#flights.set(key, flight);
    // A request that gets no answer, because another plugin has failed, must not hold the key.
    const timer = setTimeout(() => flight.land(undefined), patience);
    timer.unref?.();
    return flight;
  }

  #leaveAlone(key: string): void {
    if (this.#alone.size >= maxKeys) this.#alone.clear();
    this.#alone.set(key, Date.now() + alone);
  }
}

/** True on Cloudflare Workers. They do not let one request wait for the work of another. */
export const isWorker: boolean = globalThis.navigator?.userAgent === 'Cloudflare-Workers';
