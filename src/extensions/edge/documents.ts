import { parse } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';

import { prepareResolvers } from './resolver-hints.ts';

/** A document that this process has served. */
export interface KnownDocument {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** Whether one of its resolvers can say something through `info.cacheControl`. */
  readonly mayHint: boolean;
  /** Whether one has. */
  hasHinted: boolean;
}

/**
 * Heap of all documents, about: those that a server serves are in its own cache as well, and those that clients make up come and go. 4,000,000
 * characters of them were 600 MB.
 */
const maxBytes = 8 * 1024 * 1024;
const bytesPerCharacter = 150;
const bytesPerDocument = 2_000;
const maxLength = 100_000;

/** Documents by their text, the oldest forgotten first. What is known of one need not be asked of the line again: its hooks cost more than a small operation. */
export class KnownDocuments {
  readonly #documents = new Map<string, KnownDocument>();
  #bytes = 0;

  get(source: string | undefined): KnownDocument | undefined {
    return source === undefined ? undefined : this.#documents.get(source);
  }

  /** The same; a document that is not remembered is read again. Undefined: there is no text. */
  read(source: string | undefined, schema: GraphQLSchema | undefined): KnownDocument | undefined {
    const known = this.get(source);
    if (known !== undefined || source === undefined || schema === undefined) return known;
    const document = parse(source);
    const read = { schema, document, mayHint: prepareResolvers(schema, document), hasHinted: false };
    this.add(source, read);
    return read;
  }

  /** A resolver of the document has said something. */
  noteHint(source: string | undefined): void {
    const known = this.get(source);
    if (known !== undefined) known.hasHinted = true;
  }

  add(source: string, document: KnownDocument): void {
    if (source.length > maxLength || this.#documents.has(source)) return;
    this.#documents.set(source, document);
    this.#bytes += bytesOf(source);
    for (const oldest of this.#documents.keys()) {
      if (this.#bytes <= maxBytes) return;
      this.#documents.delete(oldest);
      this.#bytes -= bytesOf(oldest);
    }
  }
}

function bytesOf(source: string): number {
  return bytesPerDocument + bytesPerCharacter * source.length;
}
