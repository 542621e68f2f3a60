import { getNamedType, isCompositeType, Kind } from 'graphql';
import type { ArgumentNode, FieldNode, GraphQLCompositeType, GraphQLField, SelectionSetNode, ValueNode } from 'graphql';

import type { Scope } from './scope.ts';

/** A selection set and its parent type. */
export interface TypedSelectionSet {
  readonly type: GraphQLCompositeType;
  readonly selectionSet: SelectionSetNode;
}

/**
 * True if all fields of one name in the response are the same field with the same arguments, here and below, as if
 * every object had all of the types. The specification (section 5.3.2) allows more if no object can have two of the
 * types. That case is left to graphql-js.
 */
export function canSurelyMerge(scope: Scope, selectionSet: TypedSelectionSet): boolean {
  const gathered = new GatheredFields(scope);
  return gathered.gather(selectionSet) && areMergeableBelow(scope, gathered.fields);
}

/** The selection sets below the fields of one name are merged, too. */
function areMergeableBelow(scope: Scope, fields: readonly NamedField[]): boolean {
  for (let at = 0; at < fields.length; at++) {
    const { node, field, others } = fields[at]!;
    if (node.selectionSet === undefined) continue;
    const type = getNamedType(field.type);
    if (!isCompositeType(type)) continue;
    const below = new GatheredFields(scope);
    if (!below.gather({ type, selectionSet: node.selectionSet })) return false;
    if (others !== undefined && !others.every((other) => gatherBelow(below, other))) return false;
    if (!areMergeableBelow(scope, below.fields)) return false;
  }
  return true;
}

function gatherBelow(below: GatheredFields, { node: { selectionSet }, field }: TypedField): boolean {
  const type = getNamedType(field.type);
  return selectionSet === undefined || !isCompositeType(type) || below.gather({ type, selectionSet });
}

interface TypedField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}

/** All fields of one name in the response: the first, and the others. */
interface NamedField extends TypedField {
  readonly name: string;
  others: TypedField[] | undefined;
}

/** Fields by their names in the response, from all fragments. All other rules have been checked already. */
class GatheredFields {
  readonly fields: NamedField[] = [];
  readonly #scope: Scope;
  // Made where there are many: a selection set has few fields, and nearly all of them have names of their own.
  #byName: Map<string, NamedField> | undefined = undefined;
  #seenFragments: Set<string> | undefined = undefined;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** False if two of one name are not the same. */
  gather({ type, selectionSet: { selections } }: TypedSelectionSet): boolean {
    for (let at = 0; at < selections.length; at++) {
      if (!this.#scope.mayGoOn()) return false;
      const selection = selections[at]!;
      if (selection.kind === Kind.FIELD) {
        if (!this.#add(type, selection)) return false;
        continue;
      }
      const inside =
        selection.kind === Kind.FRAGMENT_SPREAD ? this.#unseenFragment(selection.name.value) : inlineFragment(this.#scope, type, selection);
      if (inside !== undefined && !this.gather(inside)) return false;
    }
    return true;
  }

  #add(type: GraphQLCompositeType, node: FieldNode): boolean {
    const field = this.#scope.field(type, node.name.value);
    if (field === undefined) return false;
    const name = (node.alias ?? node.name).value;
    const known = this.#find(name);
    if (known !== undefined) {
      (known.others ??= []).push({ node, field });
      return isSameField(known, { node, field });
    }
    const added = { name, node, field, others: undefined };
    this.fields.push(added);
    if (this.#byName !== undefined) this.#byName.set(name, added);
    else if (this.fields.length > fewFields) this.#byName = new Map(this.fields.map((one) => [one.name, one]));
    return true;
  }

  #find(name: string): NamedField | undefined {
    if (this.#byName !== undefined) return this.#byName.get(name);
    for (let at = 0; at < this.fields.length; at++) if (this.fields[at]!.name === name) return this.fields[at];
    return undefined;
  }

  #unseenFragment(name: string): TypedSelectionSet | undefined {
    if (this.#seenFragments?.has(name) === true) return undefined;
    (this.#seenFragments ??= new Set()).add(name);
    return this.#scope.fragments.get(name);
  }
}

/** To look at each takes less time than to make a map of them. */
const fewFields = 16;

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
