import { parse } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { OperationOutcome } from '../../operation/types.ts';
import { prepareResolvers } from './resolver-hints.ts';

/** A document that this process has served. */
export interface KnownDocument {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** True when one of its resolvers can give a hint through `info.cacheControl`. */
  readonly mayHint: boolean;
  /** True when a resolver has given one. */
  hasHinted: boolean;
}

/** About the heap of all records. The documents themselves belong to the server: 4,000,000 characters of them were 600 MB. */
const maxBytes = 1024 * 1024;
const bytesPerCharacter = 2;
const bytesPerDocument = 300;
const maxLength = 100_000;

/** A document that stays in memory for as long as the server has it in its own cache. Reading it later parses it again. */
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

/** An operation of a document, as hooks and outcomes have it. */
export interface ServedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly source: string | undefined;
}

/**
 * Records of documents. They are found by the operation that runs, for as long as the server's own cache has it, and by the text of
 * the document; the oldest are forgotten first.
 */
export class KnownDocuments {
  readonly #documents = new Map<string, Remembered>();
  readonly #ofOperations = new WeakMap<OperationDefinitionNode, KnownDocument>();
  /** By text, because stored answers are looked up before the document is parsed. */
  readonly #keepsTexts: boolean;
  #bytes = 0;

  constructor(keepsTexts: boolean) {
    this.#keepsTexts = keepsTexts;
  }

  /** The record for an operation that is about to run. */
  of({ schema, document, operation, source }: ServedOperation): KnownDocument {
    const found = this.#ofOperations.get(operation);
    if (found?.schema === schema) return found;
    const made = this.get(source) ?? { schema, document, mayHint: prepareResolvers(schema, document), hasHinted: false };
    if (this.#keepsTexts && source !== undefined) this.add(source, made);
    const known = this.get(source) ?? made;
    this.#ofOperations.set(operation, known);
    return known;
  }

  /** The record for an operation that has ended. If it did not run, because a hook had its answer, its document is parsed again. */
  after(
    { operation, source }: Pick<OperationOutcome, 'operation' | 'source'>,
    schema: GraphQLSchema | undefined,
  ): KnownDocument | undefined {
    return operation && (this.#ofOperations.get(operation) ?? this.read(source, schema));
  }

  get(source: string | undefined): KnownDocument | undefined {
    return source === undefined ? undefined : this.#documents.get(source);
  }

  /** The record for a request. A document without a record is parsed again. Undefined: there is no text. */
  read(source: string | undefined, schema: GraphQLSchema | undefined): KnownDocument | undefined {
    const known = this.get(source);
    if (known !== undefined || source === undefined || schema === undefined) return known;
    const document = parse(source);
    const read = { schema, document, mayHint: prepareResolvers(schema, document), hasHinted: false };
    this.add(source, read);
    return this.get(source) ?? read;
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
