import { handleRejections } from '../run/unhandled-rejections.ts';

/** Items of a generator that are read ahead: each may start work, and the generator may be infinite. */
const maxAhead = 100;

/**
 * Reads an iterator ahead of its reader, to handle rejections of promises that are read later or never: an unhandled one ends the
 * process. Arrays, maps and sets are read at once.
 */
export class ReadAhead implements Iterator<unknown> {
  readonly #iterator: Iterator<unknown>;
  readonly #max: number;
  #ahead: unknown[] = [];
  #taken = 0;
  /** How the iterator has ended. Undefined until then. */
  #end: { readonly error?: unknown } | undefined = undefined;

  constructor(iterator: Iterator<unknown>) {
    this.#iterator = iterator;
    this.#max = isOfCollection(iterator) ? Infinity : maxAhead;
    this.#read();
  }

  next(): IteratorResult<unknown> {
    this.#read();
    if (this.#taken < this.#ahead.length) return { done: false, value: this.#take() };
    if (this.#end !== undefined && 'error' in this.#end) throw this.#end.error;
    return { done: true, value: undefined };
  }

  return(): IteratorResult<unknown> {
    if (this.#end === undefined) this.#iterator.return?.();
    this.#end = {};
    return { done: true, value: undefined };
  }

  #take(): unknown {
    const value = this.#ahead[this.#taken++];
    // `shift` would move all items each time. Those of a long list are moved only when half of them have been taken.
    if (this.#taken > maxAhead && this.#taken * 2 > this.#ahead.length) [this.#ahead, this.#taken] = [this.#ahead.slice(this.#taken), 0];
    return value;
  }

  #read(): void {
    try {
      while (this.#end === undefined && this.#ahead.length - this.#taken < this.#max) {
        const { done, value } = this.#iterator.next();
        if (done === true) {
          this.#end = {};
          return;
        }
        handleRejections(value);
        this.#ahead.push(value);
      }
    } catch (error) {
      this.#end = { error };
    }
  }
}

/** True for an iterator of an array, a Map or a Set: it is finite, and reading it has no side effects. */
function isOfCollection(iterator: object): boolean {
  return /^\[object (?:Array|Map|Set) Iterator\]$/.test(Object.prototype.toString.call(iterator));
}
