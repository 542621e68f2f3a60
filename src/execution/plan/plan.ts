import type { DocumentNode, FieldNode, FragmentDefinitionNode, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { collectFields } from './collect-fields.ts';
import { Selection } from './planned-field.ts';
import type { CollectFields } from './planned-field.ts';
import type { Fragments } from './survey.ts';

interface PlanInit {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly rootType: GraphQLObjectType;
  readonly conditionVariables: readonly string[];
}

/**
 * What can be known of an operation before it runs. It grows while it is used: the fields below a field are
 * collected when the first object arrives there, so a large document that is run on little data stays small.
 */
export class Plan {
  readonly kind = 'planned';
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly fragmentDefinitions: readonly FragmentDefinitionNode[];
  readonly rootType: GraphQLObjectType;
  readonly #conditionVariables: readonly string[];
  /** One for each answer that the condition variables have given, the oldest first. */
  readonly #variants = new Map<string, Variant>();
  readonly #maxFields: number;
  #fields = 0;

  constructor(init: PlanInit) {
    this.schema = init.schema;
    this.document = init.document;
    this.operation = init.operation;
    this.fragments = init.fragments;
    this.fragmentDefinitions = Object.values(init.fragments);
    this.rootType = init.rootType;
    this.#conditionVariables = init.conditionVariables;
    this.#maxFields = (init.document.loc?.end ?? unknownLength) * keptFieldsPerCharacter;
  }

  /** Whether it depends on variables which fields there are. */
  get hasConditions(): boolean {
    return this.#conditionVariables.length > 0;
  }

  /** The fields of the root under these variables. Undefined when a condition is not a boolean: graphql-js has the words for that. */
  selectionFor(coerced: Readonly<Record<string, unknown>>): Selection | undefined {
    let key = '';
    for (const name of this.#conditionVariables) {
      const value = Object.hasOwn(coerced, name) ? coerced[name] : undefined;
      if (typeof value !== 'boolean') return undefined;
      key += value ? '1' : '0';
    }
    return (this.#variants.get(key) ?? this.#addVariant(key)).root;
  }

  /**
   * Forgets the oldest variants where a plan has grown out of proportion to its document. A few hundred characters of
   * fragments that spread each other can stand for a million fields, and every answer to the conditions for as many
   * more: running that once is paid for by who asks, keeping it would be paid for by all.
   */
  trim(): void {
    if (this.#fields <= this.#maxFields) return;
    for (const [key, variant] of this.#variants) {
      if (this.#fields <= this.#maxFields) return;
      this.#variants.delete(key);
      this.#fields -= variant.fields;
      variant.isKept = false;
    }
  }

  #addVariant(key: string): Variant {
    const conditions = new Map(this.#conditionVariables.map((name, at) => [name, key[at] === '1'] as const));
    const collect: CollectFields = (type, nodes) => {
      const selectionSets = (nodes as readonly (FieldNode | OperationDefinitionNode)[]).flatMap((node) => node.selectionSet ?? []);
      const selection = collectFields({ schema: this.schema, fragments: this.fragments, conditions, collect }, type, selectionSets);
      variant.fields += selection.fields.length;
      // One that was dropped may still be running.
      if (variant.isKept) this.#fields += selection.fields.length;
      return selection;
    };
    const variant = new Variant();
    variant.root = collect(this.rootType, [this.operation as unknown as FieldNode]);
    this.#variants.set(key, variant);
    return variant;
  }
}

/** The fields under one set of conditions. */
class Variant {
  root: Selection = noSelection;
  /** How many have been collected, the root's and those below. */
  fields = 0;
  isKept = true;
}

const noSelection = new Selection([]);

/**
 * A planned field holds about 550 bytes of heap, its share of hidden classes included; an ordinary document has one
 * per nine characters. (Node 24, 3,000 documents of 20 fields.)
 */
const keptFieldsPerCharacter = 0.5;
/** Of a document that does not know its text. */
const unknownLength = 2_000;
