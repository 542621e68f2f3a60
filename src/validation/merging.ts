import { getNamedType, isCompositeType, Kind } from 'graphql';
import type { ArgumentNode, FieldNode, GraphQLCompositeType, GraphQLField, SelectionSetNode, ValueNode } from 'graphql';

import type { Scope } from './scope.ts';

/** A selection set and its parent type. */
export interface TypedSelectionSet {
  readonly type: GraphQLCompositeType;
  readonly selectionSet: SelectionSetNode;
}

interface TypedField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}

/**
 * True if all fields of one name in the response are the same field with the same arguments, here and below, as if
 * every object had all of the types. The specification (section 5.3.2) allows more if no object can have two of the
 * types. That case is left to graphql-js.
 */
export function canSurelyMerge(scope: Scope, selectionSets: readonly TypedSelectionSet[]): boolean {
  const fields = new Map<string, TypedField[]>();
  const seenFragments = new Set<string>();
  if (!selectionSets.every((selectionSet) => gather(scope, selectionSet, { fields, seenFragments }))) return false;
  for (const [first, ...others] of fields.values()) {
    if (first === undefined || !others.every((other) => isSameField(first, other))) return false;
    const below = [first, ...others].flatMap(({ node, field }) => selectionSetOf(node, field));
    if (below.length > 0 && !canSurelyMerge(scope, below)) return false;
  }
  return true;
}

function selectionSetOf({ selectionSet }: FieldNode, field: GraphQLField<unknown, unknown>): TypedSelectionSet[] {
  const type = getNamedType(field.type);
  return selectionSet !== undefined && isCompositeType(type) ? [{ type, selectionSet }] : [];
}

interface Gathered {
  /** By their names in the response. */
  readonly fields: Map<string, TypedField[]>;
  readonly seenFragments: Set<string>;
}

/** Collects the fields by their names in the response, from all fragments. All other rules have been checked already. */
function gather(scope: Scope, { type, selectionSet }: TypedSelectionSet, gathered: Gathered): boolean {
  const { fields, seenFragments } = gathered;
  for (const selection of selectionSet.selections) {
    if (!scope.mayGoOn()) return false;
    if (selection.kind === Kind.FIELD) {
      const field = scope.field(type, selection.name.value);
      if (field === undefined) return false;
      const name = (selection.alias ?? selection.name).value;
      const known = fields.get(name);
      if (known === undefined) fields.set(name, [{ node: selection, field }]);
      else known.push({ node: selection, field });
      continue;
    }
    const inside =
      selection.kind === Kind.FRAGMENT_SPREAD
        ? unseenFragment(scope, selection.name.value, seenFragments)
        : inlineFragment(scope, type, selection);
    if (inside !== undefined && !gather(scope, inside, gathered)) return false;
  }
  return true;
}

function unseenFragment(scope: Scope, name: string, seenFragments: Set<string>): TypedSelectionSet | undefined {
  if (seenFragments.has(name)) return undefined;
  seenFragments.add(name);
  return scope.fragments.get(name);
}

function inlineFragment(
  scope: Scope,
  parentType: GraphQLCompositeType,
  { typeCondition, selectionSet }: { typeCondition?: { name: { value: string } } | undefined; selectionSet: SelectionSetNode },
): TypedSelectionSet | undefined {
  const type = typeCondition === undefined ? parentType : scope.schema.getType(typeCondition.name.value);
  return isCompositeType(type) ? { type, selectionSet } : undefined;
}

function isSameField(one: TypedField, other: TypedField): boolean {
  if (one.node === other.node) return true;
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
  switch (one.kind) {
    case Kind.VARIABLE:
      return other.kind === Kind.VARIABLE && one.name.value === other.name.value;
    case Kind.NULL:
      return other.kind === Kind.NULL;
    case Kind.STRING:
      return other.kind === Kind.STRING && one.value === other.value && (one.block ?? false) === (other.block ?? false);
    case Kind.LIST:
      return (
        other.kind === Kind.LIST &&
        one.values.length === other.values.length &&
        one.values.every((value, at) => isSameValue(value, other.values[at]!))
      );
    case Kind.OBJECT:
      if (other.kind !== Kind.OBJECT || one.fields.length !== other.fields.length) return false;
      return one.fields.every(
        ({ name, value }, at) => name.value === other.fields[at]!.name.value && isSameValue(value, other.fields[at]!.value),
      );
    default:
      return one.kind === other.kind && one.value === (other as { value: unknown }).value;
  }
}
