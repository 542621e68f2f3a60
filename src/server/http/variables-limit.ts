import { maxNesting } from '../operation/limits/nesting.ts';

/**
 * Limits the levels and the number of objects in the variables of one request. graphql-js recurses for every level and makes several
 * objects for each value: 1 MiB of 5,000 levels ended in a RangeError, and 1 MiB of `{}` took 220 ms of CPU and 100 MB
 * (bench/hostile.ts).
 */
export class VariablesLimit {
  readonly #maxContainers: number;
  #containers = 0;

  constructor(maxBodyBytes: number) {
    this.#maxContainers = maxContainersOf(maxBodyBytes);
  }

  /** The error if the variables of one more operation are too large; else undefined. */
  problemOf(variables: object): string | undefined {
    const nesting = this.#measure(variables, 1);
    if (this.#containers > this.#maxContainers) {
      return `Expected the variables of a request to have at most ${this.#maxContainers} objects and lists, got more.`;
    }
    if (nesting > maxNesting) return `Expected "variables" to nest at most ${maxNesting} levels deep, got more.`;
    return undefined;
  }

  /** The error if a parsed body is too large; else undefined. Variables begin two levels below a batch. */
  problemOfBody(body: object): string | undefined {
    const nesting = this.#measure(body, -1);
    if (this.#containers > this.#maxContainers) return `Expected a request of at most ${this.#maxContainers} objects and lists, got more.`;
    return nesting > maxNesting ? `Expected a request to nest at most ${maxNesting} levels deep, got more.` : undefined;
  }

  /** Levels of nesting. Stops at either limit. */
  #measure(value: object, level: number): number {
    this.#containers++;
    if (level > maxNesting || this.#containers > this.#maxContainers) return level;
    let deepest = level;
    for (const inner of Array.isArray(value) ? (value as unknown[]) : (Object.values(value) as unknown[])) {
      if (typeof inner === 'object' && inner !== null) deepest = Math.max(deepest, this.#measure(inner, level + 1));
    }
    return deepest;
  }
}

/** One object or list for each 20 bytes of the largest body: rows of a bulk insert take more bytes. */
export function maxContainersOf(maxBodyBytes: number): number {
  return Math.ceil(maxBodyBytes / 20);
}
