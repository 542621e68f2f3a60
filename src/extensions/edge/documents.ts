import { BREAK, isAbstractType, isObjectType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { seesInfo } from '../../executor/for-extensions.ts';

/** Facts about a document that this process has served. */
export interface KnownDocument {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** True when one of its resolvers can give a hint through `info.cacheControl`. */
  readonly mayHint: boolean;
  /** True if a resolver has set a hint. */
  hasHinted: boolean;
}

/** The approximate heap of all records. Documents themselves are not counted: the server holds them (600 MB for 4,000,000 characters). */
const maxBytes = 1024 * 1024;
const bytesPerCharacter = 2;
const bytesPerDocument = 300;
const maxLength = 100_000;

/** A record that keeps its document only as long as the server's cache does, and parses it again after that. */
class Remembered implements KnownDocument {
  readonly schema: GraphQLSchema;
  readonly mayHint: boolean;
  hasHinted = false;
  readonly #source: string;
  #document: Pick<WeakRef<DocumentNode>, 'deref'>;

  constructor(source: string, { schema, document, mayHint }: KnownDocument) {
    this.schema = schema;
    this.mayHint = mayHint;
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
 * Records of documents, by operation for as long as the server's cache has it, and by the text of the document. The oldest texts are
 * dropped first.
 */
export class KnownDocuments {
  readonly #documents = new Map<string, Remembered>();
  readonly #ofOperations = new WeakMap<OperationDefinitionNode, KnownDocument>();
  /** Records by text, because stored answers are looked up before the document is parsed. */
  readonly #keepsTexts: boolean;
  #bytes = 0;

  constructor(keepsTexts: boolean) {
    this.#keepsTexts = keepsTexts;
  }

  /** The record for an operation that runs, or that has ended. */
  of({ schema, document, operation, source }: ServedOperation): KnownDocument {
    const found = this.#ofOperations.get(operation);
    if (found?.schema === schema) return found;
    const known = this.get(source) ?? this.#add(source, newRecord(schema, document));
    this.#ofOperations.set(operation, known);
    return known;
  }

  get(source: string | undefined): KnownDocument | undefined {
    return source === undefined ? undefined : this.#documents.get(source);
  }

  /** The record for the text of a stored answer, which another process may have stored: then it is parsed here. */
  read(source: string, schema: GraphQLSchema): KnownDocument {
    return this.get(source) ?? this.#add(source, newRecord(schema, parse(source)));
  }

  #add(source: string | undefined, record: KnownDocument): KnownDocument {
    if (!this.#keepsTexts || source === undefined || source.length > maxLength) return record;
    const remembered = new Remembered(source, record);
    this.#documents.set(source, remembered);
    this.#bytes += bytesOf(source);
    for (const oldest of this.#documents.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#documents.delete(oldest);
      this.#bytes -= bytesOf(oldest);
    }
    return remembered;
  }
}

function newRecord(schema: GraphQLSchema, document: DocumentNode): KnownDocument {
  return { schema, document, mayHint: hasHintingResolver(schema, document), hasHinted: false };
}

/** True when the document selects a field whose resolver sees its `info`. */
function hasHintingResolver(schema: GraphQLSchema, document: DocumentNode): boolean {
  const typeInfo = new TypeInfo(schema);
  let isFound = false;
  const visitor = visitWithTypeInfo(typeInfo, {
    Field: ({ name }) => {
      const parent = typeInfo.getParentType();
      const types = isAbstractType(parent) ? schema.getPossibleTypes(parent) : [parent];
      isFound = types.some((type) => isObjectType(type) && seesInfo(type.getFields()[name.value]?.resolve));
      return isFound ? BREAK : undefined;
    },
  });
  visit(document, visitor);
  return isFound;
}

function bytesOf(source: string): number {
  return bytesPerDocument + bytesPerCharacter * source.length;
}
