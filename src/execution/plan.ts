import type { DocumentNode, FieldNode, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { collectFields } from './collect-fields.ts';
import type { CollectFields, Selection } from './planned-field.ts';
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
  readonly rootType: GraphQLObjectType;
  readonly #conditionVariables: readonly string[];
  /** The root's fields for each answer that the condition variables have given, the oldest first. */
  readonly #variants = new Map<string, Selection>();
  #fields = 0;

  constructor(init: PlanInit) {
    this.schema = init.schema;
    this.document = init.document;
    this.operation = init.operation;
    this.fragments = init.fragments;
    this.rootType = init.rootType;
    this.#conditionVariables = init.conditionVariables;
  }

  /** The fields of the root under these variables. Undefined when a condition is not a boolean: graphql-js has the words for that. */
  selectionFor(coerced: Readonly<Record<string, unknown>>): Selection | undefined {
    const conditions = new Map<string, boolean>();
    let key = '';
    for (const name of this.#conditionVariables) {
      const value = Object.hasOwn(coerced, name) ? coerced[name] : undefined;
      if (typeof value !== 'boolean') return undefined;
      conditions.set(name, value);
      key += value ? '1' : '0';
    }
    return this.#variants.get(key) ?? this.#addVariant(key, conditions);
  }

  /**
   * Forgets what has grown too large. A few hundred characters of fragments that spread each other can stand for
   * a million fields, and every set of conditions for as many more: running that once is paid for by who asks,
   * keeping it would be paid for by all.
   */
  trim(): void {
    if (this.#fields <= maxKeptFields) return;
    this.#variants.clear();
    this.#fields = 0;
  }

  #addVariant(key: string, conditions: ReadonlyMap<string, boolean>): Selection {
    const collect: CollectFields = (type, nodes) => {
      const selectionSets = (nodes as readonly (FieldNode | OperationDefinitionNode)[]).flatMap((node) => node.selectionSet ?? []);
      const selection = collectFields({ schema: this.schema, fragments: this.fragments, conditions, collect }, type, selectionSets);
      this.#fields += selection.fields.length;
      return selection;
    };
    const selection = collect(this.rootType, [this.operation as unknown as FieldNode]);
    if (this.#variants.size >= maxVariants) this.#variants.delete(this.#variants.keys().next().value!);
    this.#variants.set(key, selection);
    return selection;
  }
}

/** About 300 bytes each (measured on Node 24). */
const maxKeptFields = 5_000;
const maxVariants = 8;
