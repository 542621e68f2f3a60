import type { DocumentNode } from 'graphql';

import type { KeptPlans } from '../../../executor/index.ts';

/**
 * Estimates of the heap that a document takes, including a plan of as many fields as it has tokens: measured with graphql 17 on Node 24
 * for a dozen shapes in a full cache. A token with its node takes 240 to 650 bytes, a character 1 or 2, a document with one field 4 KB.
 */
const bytesPerDocument = 2000;
const bytesPerToken = 650;
const bytesPerCharacter = 2;
/** Each field or selection that is planned beyond the number of tokens: 150 to 300 bytes without arguments. */
const bytesPerPlanned = 400;
/** The part of the cache that the plans of one document may take beyond their tokens. */
const maxShareOfPlans = 1 / 4;

/** A valid document, and what has been computed for it. */
export interface KnownDocument {
  readonly document: DocumentNode;
  /** Tokens it uses from a batch's budget: the number of its tokens, or of its fields with fragments expanded, whichever is larger. */
  readonly weight: number;
  /** The plans of its operations, which count in the cache. */
  readonly plans: KeptPlans;
}

interface CachedDocument {
  readonly source: string;
  readonly known: KnownDocument;
  bytes: number;
  /** Fields and selections of its plans. */
  planned: number;
  /** True when it has been used since `#makeRoom` last visited it. */
  isUsed: boolean;
}

/**
 * Valid documents by their text, limited by an estimate of their heap. The oldest are evicted first, but those that have been used get a
 * second chance.
 *
 * A hit does not move the entry to the end of the Map: that took a quarter of the time of the smallest operation.
 */
export class DocumentCache {
  readonly #entries = new Map<string, CachedDocument>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(source: string): KnownDocument | undefined {
    const entry = this.#entries.get(source.length < hashedLength ? source : keyOf(source));
    if (entry?.source !== source) return undefined;
    entry.isUsed = true;
    return entry.known;
  }

  set(source: string, known: KnownDocument): void {
    const bytes = bytesOf(source, known.document);
    const key = keyOf(source);
    const other = this.#entries.get(key);
    if (bytes > this.#maxBytes || other?.source === source) return;
    if (other !== undefined) {
      this.#entries.delete(key);
      this.#drop(other);
    }
    const entry = { source, known, bytes, planned: 0, isUsed: false };
    known.plans.takeRoom = (planned) => this.#takeRoom(entry, planned);
    this.#entries.set(key, entry);
    this.#bytes += bytes;
    this.#makeRoom();
  }

  /** Resizes an entry with its plans. False: they are too large. */
  #takeRoom(entry: CachedDocument, planned: number): boolean {
    const { source, known } = entry;
    const total = entry.planned + planned;
    const beyond = bytesPerPlanned * Math.max(0, total - tokensOf(source, known.document));
    if (planned > 0 && beyond > this.#maxBytes * maxShareOfPlans) return false;
    const bytes = bytesOf(source, known.document) + beyond;
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    entry.planned = total;
    this.#makeRoom();
    return true;
  }

  /** Visits the entries from the oldest on. A used one is moved to the end once, and then counts as unused. */
  #makeRoom(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(key);
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.set(key, entry);
      } else {
        this.#drop(entry);
      }
    }
  }

  /** Its plans may still be running. */
  #drop(entry: CachedDocument): void {
    entry.known.plans.takeRoom = undefined;
    this.#bytes -= entry.bytes;
  }
}

/**
 * The text itself; for a long text its length, its end and a sample of its characters. From 16,384 characters on V8 hashes only the length
 * of a string, so a new document would be compared with all others of its length, which took longer than validating it. Of two documents
 * with the same key, the later one is kept.
 */
function keyOf(source: string): string {
  const { length } = source;
  if (length < hashedLength) return source;
  let key = `${length} ${source.slice(-sampled)} `;
  for (let at = 0; at < length; at += Math.ceil(length / sampled)) key += source[at]!;
  return key;
}

const hashedLength = 16_384;
const sampled = 64;

function bytesOf(source: string, document: DocumentNode): number {
  return bytesPerDocument + bytesPerToken * tokensOf(source, document) + bytesPerCharacter * source.length;
}

function tokensOf(source: string, { tokenCount = source.length / 2 }: DocumentNode): number {
  return tokenCount;
}
