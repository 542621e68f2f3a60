import { GraphQLError, Kind } from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import { isGraphQL17 } from '../graphql-version.ts';
import type { PageDefaults } from './arguments.ts';
import { collectFields } from './collect-fields.ts';
import { Selection } from './planned-field.ts';
import type { CollectSelection, PartsPlanner } from './parts-planner.ts';
import type { CollectFields, PlannedField } from './planned-field.ts';
import { conditionsOf, findConditionVariables, stateOf } from './conditions.ts';
import type { Fragments } from './conditions.ts';
import { prepareVariables } from './variables.ts';
import type { CoerceVariables, UncoercedVariable } from './variables.ts';
import type { VariableValues } from '../run/shared-info.ts';
import type { Run } from '../run/run.ts';
import { Variant } from './variant.ts';

/** The memory that plans share with the documents of their operations. */
export interface PlanMemory {
  /**
   * Takes room for this many fields and selections; negative numbers return it. False: there is not enough, and nothing has been taken.
   * Default: as many as the document has tokens.
   */
  takeRoom?: ((planned: number) => boolean) | undefined;
}

/** The operation that a plan is for. */
export interface PlannedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Default: arguments have the defaults of the schema. */
  readonly pageDefaults?: PageDefaults | undefined;
}

/** An operation, prepared for execution. The fields below a field are collected when the first object arrives there. */
export class Plan {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** False if the operation has graphql 17's directive against error propagation. */
  readonly propagatesErrors: boolean;
  readonly #pageDefaults: PageDefaults | undefined;
  readonly conditionVariables: readonly string[];
  #coerceVariables: CoerceVariables | undefined = undefined;
  /** The variants by the states of the condition variables. */
  readonly variants: Map<string, Variant> = new Map();
  /** True if fields have been planned that do not count in the memory of the document. */
  hasGrown = false;
  /** The number of fields and selections planned so far, and how many of them the memory of the document counts. */
  #planned = 0;
  #counted = 0;

  constructor({ schema, document, operation, pageDefaults }: PlannedOperation) {
    this.schema = schema;
    this.document = document;
    this.operation = operation;
    this.#pageDefaults = pageDefaults;
    this.fragments = fragmentsOf(document);
    this.propagatesErrors = !isGraphQL17 || operation.directives?.some(({ name }) => name.value === noPropagation) !== true;
    this.conditionVariables = findConditionVariables(operation, this.fragments);
  }

  coerceVariables(inputs: Readonly<Record<string, unknown>>, run: Run): VariableValues | UncoercedVariable {
    this.#coerceVariables ??= prepareVariables(this.schema, this.operation.variableDefinitions ?? []);
    return this.#coerceVariables(inputs, run);
  }

  /**
   * The root fields for these variables. Throws graphql-js's error if a condition has no value, or the schema has no such root.
   * `parts`: divides the response, if the operation has `@defer` or `@stream`.
   */
  selectionFor(coerced: Readonly<Record<string, unknown>>, parts?: PartsPlanner): Selection {
    let key = '';
    for (const name of this.conditionVariables) key += stateOf(coerced, name);
    return parts?.selectionFor(this, key, coerced) ?? (this.variants.get(key) ?? this.addVariant(key, this.conditionVariables)).root!;
  }

  /**
   * False if the plan needs more room than its document has, so that it must not be kept. A few hundred characters of nested fragment
   * spreads can select a million fields, times the number of variants, and two fields of an interface with 60 types are 120.
   */
  fitsIn({ takeRoom = (planned) => this.#counted + planned <= (this.document.tokenCount ?? unknownTokens) }: PlanMemory): boolean {
    this.hasGrown = false;
    if (takeRoom(this.#planned - this.#counted)) {
      this.#counted = this.#planned;
      return true;
    }
    takeRoom(-this.#counted);
    return false;
  }

  /** Counts fields that have been planned, and returns them. */
  count(fields: readonly PlannedField[]): readonly PlannedField[] {
    this.#planned += fields.length + 1;
    this.hasGrown = true;
    return fields;
  }

  /** `key`: the states of the variables with these names. `collectIn`: collects the fields of each selection. Default: in one part. */
  addVariant(key: string, names: readonly string[], collectIn?: CollectSelection): Variant {
    const conditions = conditionsOf(names, key);
    const collect: CollectFields = (type, nodes, parts) => {
      const known = parts === undefined ? variant.find(type, nodes) : undefined;
      if (known !== undefined) return known;
      const settings = { schema: this.schema, fragments: this.fragments, conditions, pageDefaults: this.#pageDefaults, collect };
      const selection =
        collectIn?.(settings, { type, nodes, parts }) ?? new Selection(this.count(collectFields(settings, type, nodes)), { type, nodes });
      return parts === undefined ? variant.add(selection) : selection;
    };
    const variant = new Variant(collect);
    variant.root = collect(this.#rootType(), [this.operation as unknown as FieldNode]);
    this.variants.set(key, variant);
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

/** An operation's schema and fragments, and its coerced variables for `@skip` and `@include`. */
export interface SelectionsOrigin {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The fields that are selected for objects of one type, in the order of the response. */
export interface SelectedObject {
  readonly type: GraphQLObjectType;
  readonly fields: readonly {
    readonly responseName: string;
    readonly fieldName: string;
    readonly definition: GraphQLField<unknown, unknown>;
    /** The merged nodes of the field: pass them to collect the fields below. */
    readonly nodes: readonly FieldNode[];
  }[];
}

/**
 * Returns a function that collects the fields that nodes of an operation (or the operation itself) select for an object of a type, as the
 * execution does. Equal selections are the same object.
 */
export function selectionsOf({
  schema,
  fragments,
  variables,
}: SelectionsOrigin): (type: GraphQLObjectType, nodes: readonly Pick<FieldNode, 'selectionSet'>[]) => SelectedObject {
  const conditions = new Map(Object.entries(variables));
  const collect: CollectFields = (type, nodes) =>
    variant.find(type, nodes) ??
    variant.add(
      new Selection(collectFields({ schema, fragments, conditions, pageDefaults: undefined, collect }, type, nodes), { type, nodes }),
    );
  const variant = new Variant(collect);
  return (type, nodes) => collect(type, nodes as readonly FieldNode[]);
}

/** The name of graphql 17's directive, which 16 ignores. */
export const noPropagation = 'experimental_disableErrorPropagation';
/** Tokens of a document that was not made by graphql-js's parser. */
const unknownTokens = 1_000;
