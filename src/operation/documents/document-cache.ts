import type { DocumentNode } from 'graphql';

import type { KeptPlan } from '../../execution/planned-executor.ts';
import { RecentTexts } from '../../message/recent-texts.ts';

/**
 * Heap that a document holds, with the plan of its run: measured with graphql 17 on Node 24 for a dozen shapes, filled to the limit
 * (bench/documents.ts). A token with its node takes 240 to 650 bytes, a document of one field 4 KB, a character one byte, or two.
 */
const bytesPerDocument = 2000;
const bytesPerToken = 650;
const bytesPerCharacter = 2;

/** A valid document, and what has been found out about it. */
export interface KnownDocument {
  readonly document: DocumentNode;
  /** The share that it takes of a batch's budget: its tokens, or its fields, fragments written out, if they are more. */
  readonly weight: number;
  /** The plan of its operation, or of the one that was run last. */
  readonly plan: KeptPlan;
}

interface Entry {
  readonly source: string;
  readonly known: KnownDocument;
  readonly bytes: number;
  /** True when it has been asked for since it was last looked at for room. */
  isUsed: boolean;
}

/**
 * Valid documents by their text, bounded by an estimate of the heap they hold. When room is needed the oldest go, but those
 * that were asked for get a second chance.
 *
 * A hit moves nothing: to take an entry out of the Map and put it at its end again was a quarter of the smallest operation.
 */
export class DocumentCache {
  readonly #entries = new Map<string, Entry>();
  /** Some of the entries, those that were asked for last. */
  readonly #recent = new RecentTexts<Entry>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(source: string): KnownDocument | undefined {
    const entry = this.#recent.get(source) ?? this.#find(source);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.known;
  }

  #find(source: string): Entry | undefined {
    const entry = this.#entries.get(source);
    if (entry !== undefined) this.#recent.keep(entry);
    return entry;
  }

  set(source: string, known: KnownDocument): void {
    const bytes = bytesOf(source, known.document);
    if (bytes > this.#maxBytes || this.#entries.has(source)) return;
    this.#entries.set(source, { source, known, bytes, isUsed: false });
    this.#bytes += bytes;
    this.#makeRoom();
  }

  /** The Map keeps the order in which entries came. Each is put back once at most, then it counts as not used. */
  #makeRoom(): void {
    for (const [source, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(source);
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.set(source, entry);
      } else {
        this.#drop(entry);
      }
    }
  }

  #drop(entry: Entry): void {
    this.#bytes -= entry.bytes;
    this.#recent.drop(entry);
  }
}

function bytesOf(source: string, { tokenCount = source.length / 2 }: DocumentNode): number {
  return bytesPerDocument + bytesPerToken * tokenCount + bytesPerCharacter * source.length;
}
