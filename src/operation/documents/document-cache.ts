import type { DocumentNode, OperationDefinitionNode } from 'graphql';

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
  /** The operation that was chosen last. Undefined: none has been. */
  chosen: ChosenOperation | undefined;
}

/** An operation that may run where it was asked for. For nearly all requests of a document it is the same. */
export interface ChosenOperation {
  readonly operation: OperationDefinitionNode;
  /** The name by which it was asked for. */
  readonly name: string | undefined;
  /** The rule that has let it run. */
  readonly refuse: unknown;
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
    const entry = this.#entries.get(keyOf(source));
    if (entry?.source !== source) return undefined;
    this.#recent.keep(entry);
    return entry;
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
    this.#entries.set(key, { source, known, bytes, isUsed: false });
    this.#bytes += bytes;
    this.#makeRoom();
  }

  /** The Map keeps the order in which entries came. Each is put back once at most, then it counts as not used. */
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

  #drop(entry: Entry): void {
    this.#bytes -= entry.bytes;
    this.#recent.drop(entry);
  }
}

/**
 * The text itself, or of a long one its length, some of its characters and its end. V8 hashes no more than the length of a text of 16,384
 * characters or more: each new document would be compared with all others of its length, which took longer than to validate it. Of two
 * that have the same key the later is kept.
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

function bytesOf(source: string, { tokenCount = source.length / 2 }: DocumentNode): number {
  return bytesPerDocument + bytesPerToken * tokenCount + bytesPerCharacter * source.length;
}
