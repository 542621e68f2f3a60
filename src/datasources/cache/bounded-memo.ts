/** The limits of a {@link BoundedMemo}. */
export interface MemoBounds {
  readonly maxEntries: number;
  /** Values with longer keys are not stored. Default: Infinity */
  readonly maxLength?: number;
}

/** A Map for keys that come from outside. It is cleared when it is full, which is cheaper than tracking what was used last. */
export class BoundedMemo<TValue> {
  readonly #known = new Map<string, TValue>();
  readonly #bounds: MemoBounds;

  constructor(bounds: MemoBounds) {
    this.#bounds = bounds;
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

/**
 * Copies a string. A slice of a string (or a regular expression's match) keeps the whole string in memory. V8 already copies slices
 * shorter than 13 characters; `join` copies both halves.
 */
export function copyText(text: string): string {
  if (text.length < 13) return text;
  const middle = text.length >> 1;
  return [text.slice(0, middle), text.slice(middle)].join('');
}
