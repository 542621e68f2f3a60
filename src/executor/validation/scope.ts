import { isInterfaceType, isObjectType, TypeNameMetaFieldDef } from 'graphql';
import type { GraphQLCompositeType, GraphQLField, GraphQLInputType, GraphQLSchema, SelectionSetNode } from 'graphql';

/** A fragment of the document. */
export interface KnownFragment {
  readonly type: GraphQLCompositeType;
  readonly selectionSet: SelectionSetNode;
  isUsed: boolean;
}

/** A variable of the operation. */
export interface KnownVariable {
  readonly type: GraphQLInputType;
  readonly hasNonNullDefault: boolean;
  isUsed: boolean;
}

/** The state of checking one operation. */
export class Scope {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, KnownFragment>;
  readonly variables: Map<string, KnownVariable> = new Map();
  /** The fragments that have been checked in this operation, and those that are being checked now. */
  readonly seenFragments: Set<string> = new Set();
  readonly openFragments: Set<string> = new Set();
  readonly #steps: { left: number };

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, KnownFragment>, steps: { left: number }) {
    this.schema = schema;
    this.fragments = fragments;
    this.#steps = steps;
  }

  /** Counts a step. */
  hasStepsLeft(): boolean {
    this.#steps.left--;
    return this.#steps.left >= 0;
  }

  /** Returns the definition of a field; undefined for unknown fields, and for `__schema` and `__type`, which graphql-js checks. */
  field(type: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === '__typename') return TypeNameMetaFieldDef;
    return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  }
}
