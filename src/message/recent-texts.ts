/** A power of two. */
const slots = 64;

/**
 * A few entries by their text, those that were kept last. Found without a hash: a text that has just come has none yet, and 400
 * characters take 0.7 us to hash, while to compare them with a text of the same length takes next to nothing.
 */
export class RecentTexts<TEntry extends { readonly source: string }> {
  readonly #slots: (TEntry | undefined)[] = Array.from({ length: slots }, () => undefined);

  get(source: string): TEntry | undefined {
    const entry = this.#slots[slotOf(source)];
    return entry?.source === source ? entry : undefined;
  }

  /** In place of the entry that has its slot now. */
  keep(entry: TEntry): void {
    this.#slots[slotOf(entry.source)] = entry;
  }

  drop(entry: TEntry): void {
    const slot = slotOf(entry.source);
    if (this.#slots[slot] === entry) this.#slots[slot] = undefined;
  }
}

/** Texts that are in use at the same time mostly differ in their length, or in these two characters. */
function slotOf(source: string): number {
  const { length } = source;
  return length === 0 ? 0 : (length ^ (source.charCodeAt(length >> 1) << 2) ^ source.charCodeAt(length - (length >> 2) - 1)) & (slots - 1);
}
