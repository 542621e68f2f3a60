/** How much a {@link BoundedMemo} remembers. */
export interface MemoBounds {
  readonly maxEntries: number;
  /** Characters of a key. A longer one is not remembered: long keys are rare, and would be held here. Default: any number. */
  readonly maxLength?: number;
}

/**
 * Remembers by texts that come from outside, in unknown numbers. All of it is dropped when it is
 * full: frequent texts soon come again, and noting what was used last would cost every look-up.
 */
export class BoundedMemo<TValue> {
  readonly #known = new Map<string, TValue>();
  readonly #bounds: MemoBounds;

  constructor(bounds: MemoBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#known.size;
  }

  get(key: string): TValue | undefined {
    return this.#known.get(key);
  }

  set(key: string, value: TValue): void {
    const { maxEntries, maxLength = Infinity } = this.#bounds;
    if (key.length > maxLength) return;
    if (this.#known.size >= maxEntries && !this.#known.has(key)) this.#known.clear();
    this.#known.set(key, value);
  }

  delete(key: string): void {
    this.#known.delete(key);
  }
}

/** Shorter parts of a text are copied by V8 itself. */
const shortestPart = 13;

/**
 * The same text in memory of its own. A part that was cut from a text (`slice`, a match of a regular expression) keeps all of
 * it alive: 40 characters out of a body of 1 MB weigh 1 MB. Joining two halves makes V8 copy them.
 */
export function ownCopy(text: string): string {
  if (text.length < shortestPart) return text;
  const middle = text.length >> 1;
  return [text.slice(0, middle), text.slice(middle)].join('');
}
