import { lightWeight, markHeavy } from '../operation/limits/heavy-variables.ts';

/**
 * How large the variables of one request may be, beside their bytes. graphql-js calls itself for every level of an input
 * value, and makes several objects for each: 1 MiB of 5,000 levels ended in a RangeError, and 1 MiB of `{}` took 220 ms
 * of CPU and 100 MB (bench/hostile.ts). A body has been counted before; a query string and a direct invocation have not.
 */
export class VariablesLimit {
  readonly #maxNesting: number;
  readonly #maxContainers: number;
  #containers = 0;
  #weight = 0;

  constructor({ maxNesting, maxBodyBytes }: { readonly maxNesting: number; readonly maxBodyBytes: number }) {
    this.#maxNesting = maxNesting;
    this.#maxContainers = maxContainersOf(maxBodyBytes);
  }

  /** What is wrong with the variables of one more operation of the request; undefined when nothing is. */
  problemOf(variables: object): string | undefined {
    this.#weight = 0;
    const nesting = this.#measure(variables, 1);
    if (this.#weight > lightWeight) markHeavy(variables);
    if (this.#containers > this.#maxContainers) {
      return `Expected the variables of a request to have at most ${this.#maxContainers} objects and lists, got more.`;
    }
    if (nesting > this.#maxNesting) return `Expected "variables" to nest at most ${this.#maxNesting} levels deep, got more.`;
    return undefined;
  }

  /** Levels of nesting. Stops at either limit. */
  #measure(value: object, level: number): number {
    this.#containers++;
    if (level > this.#maxNesting || this.#containers > this.#maxContainers) return level;
    let deepest = level;
    const values = Array.isArray(value) ? (value as unknown[]) : (Object.values(value) as unknown[]);
    this.#weight += values.length;
    for (const inner of values) {
      if (typeof inner === 'string') this.#weight += inner.length;
      else if (typeof inner === 'object' && inner !== null) deepest = Math.max(deepest, this.#measure(inner, level + 1));
    }
    return deepest;
  }
}

/** Objects and lists may be as many as one for each 20 bytes of the largest body: rows of a bulk insert take more. */
export function maxContainersOf(maxBodyBytes: number): number {
  return Math.ceil(maxBodyBytes / 20);
}
