import type { DocumentNode } from 'graphql';

/**
 * Heap of a parsed document per character of its text, measured with graphql 17 on Node 24: 31 to 119 bytes for
 * ordinary documents, short names being the dearest. (The worst that can be built, one-letter fields alone, is 240.)
 * The plan that its first run makes adds 60 (execution/plan/plan.ts, which bounds it at some 275).
 */
const bytesPerCharacter = 180;

/** Valid documents by their text, the least recently used dropped first, bounded by an estimate of the heap they hold. */
export class DocumentCache {
  readonly #documents = new Map<string, DocumentNode>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxBytes: number) {
    this.#maxCharacters = maxBytes / bytesPerCharacter;
  }

  get(source: string): DocumentNode | undefined {
    const document = this.#documents.get(source);
    // A Map keeps insertion order: what was used goes to the end, so that the first key is always the oldest.
    // While the cache is less than half full nothing will be dropped soon, and the hit stays a single look-up.
    if (document !== undefined && this.#characters > this.#maxCharacters / 2) {
      this.#documents.delete(source);
      this.#documents.set(source, document);
    }
    return document;
  }

  set(source: string, document: DocumentNode): void {
    if (source.length > this.#maxCharacters || this.#documents.has(source)) return;
    this.#documents.set(source, document);
    this.#characters += source.length;
    for (const oldest of this.#documents.keys()) {
      if (this.#characters <= this.#maxCharacters) return;
      this.#documents.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
