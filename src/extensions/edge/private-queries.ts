/** Query strings that are remembered, and the longest of them: 1 MB at most. */
const maxQueries = 1_000;
const maxLength = 1_000;

/**
 * Query strings whose answers are private by the hints of the schema, and of which no resolver can say other. What is read of such a
 * request need not be watched: a proxy and its notes are a third of the smallest operation.
 */
export class PrivateQueries {
  readonly #reasons = new Map<string, string>();

  /** Why. Undefined: it is not known to be. */
  reasonFor(queryString: string): string | undefined {
    return queryString.length > maxLength ? undefined : this.#reasons.get(queryString);
  }

  add(queryString: string, reason: string): void {
    if (queryString.length > maxLength) return;
    if (this.#reasons.size >= maxQueries) this.#reasons.clear();
    this.#reasons.set(queryString, reason);
  }
}
