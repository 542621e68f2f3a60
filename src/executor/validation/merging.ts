import { getNamedType, Kind, print } from 'graphql';
import type { ArgumentNode, FieldNode, GraphQLCompositeType, GraphQLField, InlineFragmentNode, SelectionSetNode, ValueNode } from 'graphql';

import type { Scope } from './scope.ts';

/** A selection set and its parent type. */
export interface TypedSelectionSet {
  readonly type: GraphQLCompositeType;
  readonly selectionSet: SelectionSetNode;
}

/**
 * True if all fields of one response name are the same field with the same arguments, here and below. The specification (section
 * 5.3.2) allows more if no object can have both parent types: that is left to graphql-js.
 */
export function canMerge(scope: Scope, selectionSet: TypedSelectionSet): boolean {
  const gathered = new GatheredFields(scope);
  return gathered.gather(selectionSet) && areMergeableBelow(scope, gathered.fields);
}

/** The selection sets below the fields of one name are also merged. */
function areMergeableBelow(scope: Scope, fields: ReadonlyMap<string, NamedField>): boolean {
  for (const named of fields.values()) {
    if (named.node.selectionSet === undefined) continue;
    const below = new GatheredFields(scope);
    if (!gatherBelow(below, named) || named.others?.every((other) => gatherBelow(below, other)) === false) return false;
    if (!areMergeableBelow(scope, below.fields)) return false;
  }
  return true;
}

function gatherBelow(below: GatheredFields, { node: { selectionSet }, field }: TypedField): boolean {
  return selectionSet === undefined || below.gather({ type: getNamedType(field.type) as GraphQLCompositeType, selectionSet });
}

interface TypedField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}

/** The fields of one response name. */
interface NamedField extends TypedField {
  others: TypedField[] | undefined;
}

/** Fields by response name, with those of fragments. All other rules have been checked already. */
class GatheredFields {
  readonly fields: Map<string, NamedField> = new Map();
  readonly #scope: Scope;
  #seenFragments: Set<string> | undefined = undefined;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Gathers the fields of a selection set. Returns false if two fields of one name differ. */
  gather({ type, selectionSet: { selections } }: TypedSelectionSet): boolean {
    for (let at = 0; at < selections.length; at++) {
      if (!this.#scope.hasStepsLeft()) return false;
      const selection = selections[at]!;
      if (selection.kind === Kind.FIELD) {
        if (!this.#add(type, selection)) return false;
        continue;
      }
      const inside = selection.kind === Kind.FRAGMENT_SPREAD ? this.#unseenFragment(selection.name.value) : this.#inline(type, selection);
      if (inside !== undefined && !this.gather(inside)) return false;
    }
    return true;
  }

  #add(type: GraphQLCompositeType, node: FieldNode): boolean {
    const field = this.#scope.field(type, node.name.value)!;
    const name = (node.alias ?? node.name).value;
    const known = this.fields.get(name);
    if (known === undefined) {
      this.fields.set(name, { node, field, others: undefined });
      return true;
    }
    (known.others ??= []).push({ node, field });
    return isSameField(known, { node, field });
  }

  #unseenFragment(name: string): TypedSelectionSet | undefined {
    if (this.#seenFragments?.has(name) === true) return undefined;
    (this.#seenFragments ??= new Set()).add(name);
    return this.#scope.fragments.get(name);
  }

  #inline(parentType: GraphQLCompositeType, { typeCondition, selectionSet }: InlineFragmentNode): TypedSelectionSet {
    if (typeCondition === undefined) return { type: parentType, selectionSet };
    return { type: this.#scope.schema.getType(typeCondition.name.value) as GraphQLCompositeType, selectionSet };
  }
}

function isSameField(one: TypedField, other: TypedField): boolean {
  if (one.node.name.value !== other.node.name.value || !haveSameArguments(one.node.arguments ?? [], other.node.arguments ?? []))
    return false;
  return one.field === other.field || String(one.field.type) === String(other.field.type);
}

function haveSameArguments(one: readonly ArgumentNode[], other: readonly ArgumentNode[]): boolean {
  if (one.length !== other.length) return false;
  return one.every(({ name, value }) => {
    const counterpart = other.find((argument) => argument.name.value === name.value);
    return counterpart !== undefined && isSameValue(value, counterpart.value);
  });
}

/** True if both values are written in the same way. As in graphql-js, `"x"` and `"""x"""` are two values. */
function isSameValue(one: ValueNode, other: ValueNode): boolean {
  return one.kind === other.kind && print(one) === print(other);
}
