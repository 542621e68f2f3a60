import { GraphQLError, Kind } from 'graphql';
import type { DocumentNode, FieldNode, FragmentDefinitionNode, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { isGraphQL17 } from '../graphql-js/version.ts';
import { collectFields } from './collect-fields.ts';
import { planPool } from './plan-pool.ts';
import type { LargePlan, PoolShare } from './plan-pool.ts';
import { Selection } from './planned-field.ts';
import type { CollectFields, PlannedField } from './planned-field.ts';
import type { ResultClasses } from './result-classes.ts';
import { conditionsOf, findConditionVariables, stateOf } from './survey.ts';
import type { Fragments } from './survey.ts';
import { prepareVariables } from './variable-coercion.ts';
import type { CoerceVariables } from './variable-coercion.ts';
import type { VariableValues } from '../run.ts';

/**
 * Everything that is known of an operation before it runs. It grows while it is used: the fields below a field are
 * collected when the first object arrives there, so a large document that is run on little data stays small.
 */
export class Plan implements LargePlan {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly fragmentDefinitions: readonly FragmentDefinitionNode[];
  /** False when an error stays where it is, also where null is not allowed: graphql 17 has a directive that asks for it. */
  readonly propagatesErrors: boolean;
  readonly #conditionVariables: readonly string[];
  #coerceVariables: CoerceVariables | undefined = undefined;
  /** One for each answer that the condition variables have given, the oldest first. */
  readonly #variants = new Map<string, Variant>();
  /** The one that was run last: most plans have no other, and a look-up takes a hundredth of the smallest operation. */
  #last: Variant | undefined = undefined;
  /** How many fields it may keep without a share in the pool. */
  #maxFields: number;
  #fields = 0;
  /** Its share in the pool, and how many fields it had then. */
  #share: PoolShare | undefined = undefined;
  #admitted = 0;

  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.schema = schema;
    this.document = document;
    this.operation = operation;
    this.fragments = fragmentsOf(document);
    this.fragmentDefinitions = Object.values(this.fragments);
    this.propagatesErrors = !isGraphQL17 || operation.directives?.some(({ name }) => name.value === noPropagation) !== true;
    this.#conditionVariables = findConditionVariables(operation, this.fragments);
    this.#maxFields = (document.loc?.end ?? unknownLength) * keptFieldsPerCharacter;
  }

  /** Nobody keeps it: it needs no room. */
  forOneRun(): this {
    this.#maxFields = Infinity;
    return this;
  }

  /** The values of its variables, and where they come from. Undefined: graphql-js decides. */
  coerceVariables(inputs: Readonly<Record<string, unknown>>): VariableValues | undefined {
    this.#coerceVariables ??= prepareVariables(this.schema, this.operation.variableDefinitions ?? []);
    return this.#coerceVariables(inputs);
  }

  /** The fields of the root under these variables. Throws graphql-js's error where a condition of theirs has no value, or the schema no such root. */
  selectionFor(coerced: Readonly<Record<string, unknown>>): Selection {
    let key = '';
    for (const name of this.#conditionVariables) key += stateOf(coerced, name);
    const known = this.#last?.key === key ? this.#last : this.#variants.get(key);
    if (known?.isCurrent() === true) {
      if (known !== this.#last) this.#last = known;
      return known.root!;
    }
    if (known !== undefined) this.#drop(known);
    return this.#addVariant(key).root!;
  }

  /**
   * Forgets the oldest variants where a plan has grown out of proportion to its document, and the pool has no room for it. A few
   * hundred characters of fragments that spread each other can stand for a million fields, and every answer to the conditions for as
   * many more: to run that once costs the one who asks, to keep it would cost all.
   */
  trim(): void {
    if (this.#fields <= this.#maxFields || this.#fields === this.#admitted) return;
    this.#share = planPool.admit(this, this.#share, this.#fields - this.#maxFields);
    this.#admitted = this.#share === undefined ? 0 : this.#fields;
    if (this.#share !== undefined) return;
    for (const variant of this.#variants.values()) {
      if (this.#fields <= this.#maxFields) return;
      this.#drop(variant);
    }
  }

  /** Others need the room. */
  forget(): void {
    this.#share = undefined;
    this.#admitted = 0;
    for (const variant of this.#variants.values()) this.#drop(variant);
  }

  #drop(variant: Variant): void {
    this.#variants.delete(variant.key);
    if (variant === this.#last) this.#last = undefined;
    this.#fields -= variant.fields;
    variant.isKept = false;
  }

  #addVariant(key: string): Variant {
    const conditions = conditionsOf(this.#conditionVariables, key);
    const collect: CollectFields = (type, nodes) => {
      const known = variant.find(type, nodes);
      if (known !== undefined) return known;
      const fields = collectFields({ schema: this.schema, fragments: this.fragments, conditions, collect }, type, nodes);
      variant.fields += fields.length;
      // One that was dropped may still be running.
      if (variant.isKept) this.#fields += fields.length;
      return variant.add(fields, type, nodes);
    };
    const variant = new Variant(key);
    variant.root = collect(this.#rootType(), [this.operation as unknown as FieldNode]);
    this.#variants.set(key, variant);
    return variant;
  }

  #rootType(): GraphQLObjectType {
    const { schema, operation } = this;
    const kind = operation.operation;
    const type = schema.getRootType(kind);
    if (type) return type;
    throw new GraphQLError(`Schema is not configured to execute ${kind} operation.`, { nodes: operation });
  }
}

function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = Object.create(null) as Record<string, FragmentDefinitionNode>;
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  return fragments;
}

/** The fields under one set of conditions. */
class Variant {
  /** A letter for each condition variable: see stateOf. */
  readonly key: string;
  root: Selection | undefined = undefined;
  /** How many have been collected, the root's and those below. */
  fields = 0;
  isKept = true;
  /**
   * By the first of their nodes. What is below a field does not depend on where the field is: an interface whose 30 types lead to
   * another of 30 has 60 selections, not 930.
   */
  readonly #selections = new Map<FieldNode, Selection>();
  /** Nodes that meet many types: the last one of each. A walk along 600 for each of 600 took as long as all else. */
  readonly #byType = new Map<FieldNode, Map<GraphQLObjectType, Selection>>();
  readonly all: Selection[] = [];
  readonly #classes: ResultClasses = new Map();

  constructor(key: string) {
    this.key = key;
  }

  /**
   * True when the schema is as it was. Another field, type or default that is put into a served schema counts from the next run on, as
   * with graphql-js. (A look at 45 fields takes 0.5 us.)
   */
  isCurrent(): boolean {
    // By index: this is asked before every run.
    for (let at = 0; at < this.all.length; at++) if (!this.all[at]!.isCurrent()) return false;
    return true;
  }

  find(type: GraphQLObjectType, nodes: readonly FieldNode[]): Selection | undefined {
    let known = this.#selections.get(nodes[0]!);
    if (known !== undefined && known.rank >= manyTypes) known = this.#byType.get(nodes[0]!)!.get(type);
    for (; known !== undefined; known = known.next) if (known.type === type && areSame(known.nodes, nodes)) return known;
    return undefined;
  }

  add(fields: readonly PlannedField[], type: GraphQLObjectType, nodes: readonly FieldNode[]): Selection {
    const next = this.#selections.get(nodes[0]!);
    const selection = new Selection(fields, { type, nodes, classes: this.#classes, next });
    this.all.push(selection);
    this.#selections.set(nodes[0]!, selection);
    if (selection.rank === manyTypes) this.#byType.set(nodes[0]!, lastByType(selection));
    else if (selection.rank > manyTypes) this.#byType.get(nodes[0]!)!.set(type, selection);
    return selection;
  }
}

/** Selections that begin with one node, from which on they are looked up by type. */
const manyTypes = 12;

function lastByType(last: Selection): Map<GraphQLObjectType, Selection> {
  const found = new Map<GraphQLObjectType, Selection>();
  for (let one: Selection | undefined = last; one !== undefined; one = one.next) if (!found.has(one.type)) found.set(one.type, one);
  return found;
}

function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}

/**
 * A planned field holds about 550 bytes of heap, its share of hidden classes included; an ordinary document has one
 * per nine characters. (Node 24, 3,000 documents of 20 fields.)
 */
const keptFieldsPerCharacter = 0.5;
/** The name of graphql 17's directive. 16 pays no attention to it. */
const noPropagation = 'experimental_disableErrorPropagation';
/** Of a document that does not know its text. */
const unknownLength = 2_000;
