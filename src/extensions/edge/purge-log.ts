/** Purges of this process that are remembered. */
const maxPurges = 1_000;

/** Remembers what was purged lately: an answer that was begun before must not be stored after. */
export class PurgeLog {
  readonly #purges: ReadonlySet<string>[] = [];
  #dropped = 0;

  /** The moment now, in purges. */
  get now(): number {
    return this.#dropped + this.#purges.length;
  }

  add(tags: readonly string[]): void {
    this.#purges.push(new Set(tags));
    if (this.#purges.length <= maxPurges) return;
    this.#purges.shift();
    this.#dropped++;
  }

  /** Whether one of the tags may have been purged since that moment. */
  hasSince(moment: number, tags: readonly string[]): boolean {
    if (moment < this.#dropped) return true;
    for (let at = moment - this.#dropped; at < this.#purges.length; at++) if (tags.some((tag) => this.#purges[at]!.has(tag))) return true;
    return false;
  }
}
