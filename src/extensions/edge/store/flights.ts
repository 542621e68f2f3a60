import type { FoundAnswer } from './answer-store.ts';

/** An answer that was just made, for those who asked for the same meanwhile. Undefined: it is not for them. */
type Shared = FoundAnswer | undefined;

/** One operation that is under way, for which others wait. */
export interface Flight {
  /** The moment of the store at which it began. */
  readonly moment: string;
  readonly landed: Promise<Shared>;
  /** Nothing is shared unless it is called with an answer. The first call counts. */
  readonly land: (answer: Shared) => void;
}

/** Milliseconds that others wait for an operation at most: then they run it themselves. */
const patience = 2_000;
/** Milliseconds for which nobody waits for a key whose answer was not to be shared: they would come one after the other. */
const alone = 10_000;
const maxKeys = 1_000;

/**
 * Single-flight: of several equal operations that miss at once, one runs, and the others get its answer if the store may keep it.
 * Where it may not, all of them run at once, and nobody waits for that key for a while.
 */
export class Flights {
  readonly #flights = new Map<string, Flight>();
  /** Until when, by key. */
  readonly #alone = new Map<string, number>();

  /** Whether one is under way. */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /** The operation that is under way. Undefined: there is none that began after the last purge. */
  of(key: string, moment: string | undefined): Flight | undefined {
    const flight = this.#flights.get(key);
    return flight !== undefined && flight.moment === moment ? flight : undefined;
  }

  /** Waits for it, for half of the milliseconds that are left at most. Undefined: it has nothing for others, or takes too long. */
  async wait({ landed }: Flight, deadlineLeft: number): Promise<Shared> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), Math.min(patience, deadlineLeft / 2));
    });
    try {
      const answer = await Promise.race([landed, late]);
      // Its own, as out of the store: hooks may write to it.
      return answer && { ...answer, result: JSON.parse(JSON.stringify(answer.result)) as FoundAnswer['result'] };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Begins one. Undefined: nobody need wait, or somebody else's is under way. */
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
    // A request that comes to no answer, because another plugin has failed, must not keep the key.
    const timer = setTimeout(() => flight.land(undefined), patience);
    timer.unref?.();
    return flight;
  }

  #leaveAlone(key: string): void {
    if (this.#alone.size >= maxKeys) this.#alone.clear();
    this.#alone.set(key, Date.now() + alone);
  }
}

/** Workers tie what a request waits for to that request: there nobody waits for another's. */
export const canWaitForOthers: boolean = globalThis.navigator?.userAgent !== 'Cloudflare-Workers';
