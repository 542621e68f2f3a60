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

/** The same, while somebody else keeps the document: a parsed one holds 150 bytes for each character of its text. */
class KeptDocument {
  readonly schema: GraphQLSchema;
  readonly mayHint: boolean;
  readonly #document: WeakRef<DocumentNode>;

  constructor({ schema, document, mayHint }: KnownDocument) {
    this.schema = schema;
    this.mayHint = mayHint;
    this.#document = new WeakRef(document);
  }

  get document(): DocumentNode | undefined {
    return this.#document.deref();
  }
}

/** Characters of all texts, and of one: more than a server has of its own; what clients make up comes and goes. */
const maxCharacters = 4_000_000;
const maxLength = 100_000;
/** What an entry is counted for beside its text. */
const charactersPerEntry = 400;

/**
 * Documents by their text, the oldest forgotten first. What is known of one need not be asked of the line again: its hooks cost more than
 * a small operation. The documents themselves are the server's, and go when its own cache forgets them.
 */
export class KnownDocuments {
  readonly #documents = new Map<string, KeptDocument>();
  #characters = 0;

  get(source: string | undefined): KnownDocument | undefined {
    const known = source === undefined ? undefined : this.#documents.get(source);
    const document = known?.document;
    return document && { schema: known!.schema, document, mayHint: known!.mayHint };
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
    if (source.length > maxLength) return;
    if (!this.#documents.has(source)) this.#characters += source.length + charactersPerEntry;
    this.#documents.set(source, new KeptDocument(document));
    for (const oldest of this.#documents.keys()) {
      if (this.#characters <= maxCharacters) return;
      this.#documents.delete(oldest);
      this.#characters -= oldest.length + charactersPerEntry;
    }
  }
}
