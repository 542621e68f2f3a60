import { parse } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { OperationOutcome } from '../../operation/types.ts';
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

/** An operation of a document, as hooks and outcomes have it. */
export interface ServedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly source: string | undefined;
}

/**
 * What is known of documents: by the operation that runs, for as long as the server's own cache has it, and by their text, the oldest
 * forgotten first.
 */
export class KnownDocuments {
  readonly #documents = new Map<string, Remembered>();
  readonly #ofOperations = new WeakMap<OperationDefinitionNode, KnownDocument>();
  /** Answers are looked for by the text, before anything is known of its document. */
  readonly #keepsTexts: boolean;
  #bytes = 0;

  constructor(keepsTexts: boolean) {
    this.#keepsTexts = keepsTexts;
  }

  /** Of an operation that is about to run. */
  of({ schema, document, operation, source }: ServedOperation): KnownDocument {
    const found = this.#ofOperations.get(operation);
    if (found?.schema === schema) return found;
    const made = this.get(source) ?? { schema, document, mayHint: prepareResolvers(schema, document), hasHinted: false };
    if (this.#keepsTexts && source !== undefined) this.add(source, made);
    const known = this.get(source) ?? made;
    this.#ofOperations.set(operation, known);
    return known;
  }

  /** Of an operation that has ended. One that did not run, because a hook had its answer, is read again. */
  after(
    { operation, source }: Pick<OperationOutcome, 'operation' | 'source'>,
    schema: GraphQLSchema | undefined,
  ): KnownDocument | undefined {
    return operation && (this.#ofOperations.get(operation) ?? this.read(source, schema));
  }

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
