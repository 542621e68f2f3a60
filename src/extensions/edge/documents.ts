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

/** Heap of all that is remembered, about. The documents themselves are the server's: 4,000,000 characters of them were 600 MB. */
const maxBytes = 1024 * 1024;
const bytesPerCharacter = 2;
const bytesPerDocument = 300;
const maxLength = 100_000;

/** A document that is in memory for as long as the server has it in its own cache. Who asks for it later has it parsed again. */
class Remembered implements KnownDocument {
  readonly schema: GraphQLSchema;
  readonly mayHint: boolean;
  hasHinted: boolean;
  readonly #source: string;
  #document: Pick<WeakRef<DocumentNode>, 'deref'>;

  constructor(source: string, { schema, document, mayHint, hasHinted }: KnownDocument) {
    this.schema = schema;
    this.mayHint = mayHint;
    this.hasHinted = hasHinted;
    this.#source = source;
    this.#document = referenceTo(document);
  }

  get document(): DocumentNode {
    const known = this.#document.deref();
    if (known !== undefined) return known;
    const document = parse(this.#source);
    this.#document = referenceTo(document);
    return document;
  }
}

/** Workers with a compatibility date before May 2025 have no `WeakRef`. */
function referenceTo(document: DocumentNode): Pick<WeakRef<DocumentNode>, 'deref'> {
  return typeof WeakRef === 'undefined' ? { deref: () => undefined } : new WeakRef(document);
}

/** Documents by their text, the oldest forgotten first. What is known of one need not be asked of the line again: its hooks cost more than a small operation. */
export class KnownDocuments {
  readonly #documents = new Map<string, Remembered>();
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
    return this.get(source) ?? read;
  }

  /** A resolver of the document has said something. */
  noteHint(source: string | undefined): void {
    const known = this.get(source);
    if (known !== undefined) known.hasHinted = true;
  }

  add(source: string, document: KnownDocument): void {
    if (source.length > maxLength || this.#documents.has(source)) return;
    this.#documents.set(source, new Remembered(source, document));
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
