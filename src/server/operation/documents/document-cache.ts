import type { DocumentNode } from 'graphql';

import { LRUMap } from '../../../datasources/index.ts';
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

/** Valid documents by their text, limited by an estimate of their heap. The least recently used are evicted first. */
export class DocumentCache {
  readonly #entries: LRUMap<{ readonly source: string; readonly known: KnownDocument }>;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#entries = new LRUMap({ maxSize: maxBytes, now: Date.now });
    this.#maxBytes = maxBytes;
  }

  get(source: string): KnownDocument | undefined {
    const entry = this.#entries.get(source.length < hashedLength ? source : keyOf(source));
    return entry?.source === source ? entry.known : undefined;
  }

  set(source: string, known: KnownDocument): void {
    const tokens = known.document.tokenCount ?? source.length / 2;
    const size = bytesPerDocument + bytesPerToken * tokens + bytesPerCharacter * source.length;
    const key = keyOf(source);
    if (size > this.#maxBytes || this.#entries.get(key)?.source === source) return;
    const entry = { source, known };
    let planned = 0;
    known.plans.takeRoom = (added) => {
      // The plans of a document that has been evicted may still be running.
      if (this.#entries.get(key) !== entry) return true;
      const beyond = bytesPerPlanned * Math.max(0, planned + added - tokens);
      if (added > 0 && beyond > this.#maxBytes * maxShareOfPlans) return false;
      planned += added;
      this.#entries.set(key, entry, { size: size + beyond, ttl: Infinity });
      return true;
    };
    this.#entries.set(key, entry, { size, ttl: Infinity });
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
