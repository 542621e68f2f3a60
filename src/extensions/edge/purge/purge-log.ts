/** The number of purges that the log keeps. */
const maxPurges = 1_000;

/** Keeps the tags of the last purges, because an answer that started before a purge must not be stored after it. */
export class PurgeLog {
  readonly #purges: ReadonlySet<string>[] = [];
  #dropped = 0;

  /** The current moment: the number of purges so far. */
  get now(): number {
    return this.#dropped + this.#purges.length;
  }

  add(tags: readonly string[]): void {
    this.#purges.push(new Set(tags));
    if (this.#purges.length <= maxPurges) return;
    this.#purges.shift();
    this.#dropped++;
  }

  /** True if one of the tags may have been purged since that moment. */
  hasSince(moment: number, tags: readonly string[]): boolean {
    if (moment < this.#dropped) return true;
    for (let at = moment - this.#dropped; at < this.#purges.length; at++) if (tags.some((tag) => this.#purges[at]!.has(tag))) return true;
    return false;
  }
}
