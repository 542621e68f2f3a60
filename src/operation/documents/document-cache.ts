import type { DocumentNode } from 'graphql';

/**
 * Heap that a document holds, with the plan of its run: measured with graphql 17 on Node 24 for a dozen shapes, filled to the limit
 * (bench/documents.ts). A token with its node takes 240 to 650 bytes, a document of one field 4 KB, a character one byte, or two.
 */
const bytesPerDocument = 2000;
const bytesPerToken = 650;
const bytesPerCharacter = 2;

/** Valid documents by their text, the least recently used dropped first, bounded by an estimate of the heap they hold. */
export class DocumentCache {
  readonly #documents = new Map<string, DocumentNode>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(source: string): DocumentNode | undefined {
    const document = this.#documents.get(source);
    // A Map keeps insertion order: what was used goes to the end, so that the first key is always the oldest.
    // While the cache is less than half full nothing will be dropped soon, and the hit stays a single look-up.
    if (document !== undefined && this.#bytes > this.#maxBytes / 2) {
      this.#documents.delete(source);
      this.#documents.set(source, document);
    }
    return document;
  }

  set(source: string, document: DocumentNode): void {
    const bytes = bytesOf(source, document);
    if (bytes > this.#maxBytes || this.#documents.has(source)) return;
    this.#documents.set(source, document);
    this.#bytes += bytes;
    for (const [oldest, dropped] of this.#documents) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#documents.delete(oldest);
      this.#bytes -= bytesOf(oldest, dropped);
    }
  }
}

function bytesOf(source: string, { tokenCount = source.length / 2 }: DocumentNode): number {
  return bytesPerDocument + bytesPerToken * tokenCount + bytesPerCharacter * source.length;
}
