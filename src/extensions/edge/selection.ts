import {
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import type {
  DirectiveNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';

import { appliesTo } from '../../executor/for-extensions.ts';

/** A field of one object type in the answer. */
export interface SelectedField {
  readonly key: string;
  readonly name: string;
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly hasList: boolean;
  /** Undefined for leaves. */
  readonly below: AnswerSelection | undefined;
}

/** The selection of the objects at one place of an answer. */
export interface AnswerSelection {
  readonly type: GraphQLNamedType;
  /** The object types that may be at this place. */
  readonly types: readonly GraphQLObjectType[];
  /** Keys that hold the name of the type, for every type that has them. */
  readonly typenameKeys: readonly string[];
  fieldsFor(type: GraphQLObjectType): readonly SelectedField[];
  /** The fields with selections that are lists or may be null, or that contain such fields. Introspection is left out. */
  absentFor(type: GraphQLObjectType): readonly SelectedField[];
  /** True when any of the objects has such fields. */
  readonly hasAbsences: boolean;
  /** True when the fields are all leaves, introspection apart. */
  readonly isFlat: boolean;
  /** The names of all object types that are selected below. Each selection is read once, whatever its types. */
  typesBelow(): ReadonlySet<string>;
  /** True when the operation has more selections than the limit. From then on, only selections that occur in an answer are read. */
  readonly isTooLarge: boolean;
}

/** An operation whose `@skip` and `@include` have been evaluated. */
export interface Selecting {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** True when `@skip` and `@include` do not exclude a selection. */
  readonly isIncluded: (directives: readonly DirectiveNode[] | undefined) => boolean;
  /** The number of selections read. A selection counts once for each object type that it may apply to. */
  looked?: number;
}

/**
 * A query of 5 KB can have 360,000 selections, if 100 fields of an interface with 60 types each return such an interface. Without the
 * limit it took 700 ms and 73 MiB.
 */
const maxLooked = 15_000;

/** The selections of an operation, each made on first use. Undefined: the schema has no such root type. */
export function selectionOf(selecting: Selecting, operation: OperationDefinitionNode): AnswerSelection | undefined {
  const root = selecting.schema.getRootType(operation.operation);
  return root ? new TypedSelection(selecting, root, [operation.selectionSet]) : undefined;
}

class TypedSelection implements AnswerSelection {
  readonly type: GraphQLNamedType;
  readonly types: readonly GraphQLObjectType[];
  readonly #selecting: Selecting;
  readonly #sets: readonly SelectionSetNode[];
  readonly #fields = new Map<GraphQLObjectType, readonly SelectedField[]>();
  readonly #absent = new Map<GraphQLObjectType, readonly SelectedField[]>();
  #typenameKeys: readonly string[] | undefined;
  #hasAbsences: boolean | undefined;
  #isFlat: boolean | undefined;

  constructor(selecting: Selecting, type: GraphQLNamedType, sets: readonly SelectionSetNode[]) {
    this.type = type;
    this.types = objectTypesOf(selecting.schema, type);
    this.#selecting = selecting;
    this.#sets = sets;
  }

  get typenameKeys(): readonly string[] {
    return (this.#typenameKeys ??= this.#findTypenameKeys());
  }

  fieldsFor(type: GraphQLObjectType): readonly SelectedField[] {
    const known = this.#fields.get(type);
    if (known !== undefined) return known;
    const fields = [...this.#nodesFor(type)].flatMap(([key, [first, ...rest]]) => this.#selectedField(type, key, [first!, ...rest]));
    this.#fields.set(type, fields);
    return fields;
  }

  absentFor(type: GraphQLObjectType): readonly SelectedField[] {
    const known = this.#absent.get(type);
    if (known !== undefined) return known;
    const fields = this.fieldsFor(type).filter(
      ({ name, field, hasList: isList, below }) =>
        below !== undefined && !name.startsWith('__') && (isList || !isNonNullType(field.type) || below.hasAbsences),
    );
    this.#absent.set(type, fields);
    return fields;
  }

  get hasAbsences(): boolean {
    if (this.#hasAbsences !== undefined) return this.#hasAbsences;
    // Above the limit, the whole answer is searched.
    return (this.#hasAbsences = this.types.some((type) => this.isTooLarge || this.absentFor(type).length > 0));
  }

  get isFlat(): boolean {
    return (this.#isFlat ??= this.types.every((type) =>
      this.fieldsFor(type).every(({ name, below }) => below === undefined || name.startsWith('__')),
    ));
  }

  get isTooLarge(): boolean {
    return (this.#selecting.looked ?? 0) > maxLooked;
  }

  typesBelow(): ReadonlySet<string> {
    const { schema, isIncluded } = this.#selecting;
    const found = new Set<string>();
    const spread = new Set<string>();
    const addBelow = (type: GraphQLNamedType, selections: readonly SelectionNode[]): void => {
      for (const selection of selections) {
        if (!isIncluded(selection.directives)) continue;
        if (selection.kind === Kind.FIELD) {
          const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
          if (field === undefined || selection.selectionSet === undefined) continue;
          const named = getNamedType(field.type);
          for (const { name } of objectTypesOf(schema, named)) found.add(name);
          addBelow(named, selection.selectionSet.selections);
          continue;
        }
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#unseenFragment(selection.name.value, spread);
        const condition = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value);
        if (fragment !== undefined) addBelow(condition ?? type, fragment.selectionSet.selections);
      }
    };
    for (const { selections } of this.#sets) addBelow(this.type, selections);
    return found;
  }

  #selectedField(parent: GraphQLObjectType, key: string, nodes: readonly [FieldNode, ...FieldNode[]]): SelectedField[] {
    const name = nodes[0].name.value;
    const field = name.startsWith('__') ? metaFields.get(name) : parent.getFields()[name];
    if (field === undefined) return [];
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const below = sets.length === 0 ? undefined : new TypedSelection(this.#selecting, getNamedType(field.type), sets);
    return [{ key, name, parent, field, hasList: hasList(field.type), below }];
  }

  #collect(type: GraphQLObjectType, selections: readonly SelectionNode[], { nodes, spread }: Collected): void {
    this.#selecting.looked = (this.#selecting.looked ?? 0) + selections.length;
    for (const selection of selections) {
      if (!this.#selecting.isIncluded(selection.directives)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = nodes.get(key);
        if (known === undefined) nodes.set(key, [selection]);
        else known.push(selection);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#unseenFragment(selection.name.value, spread);
      if (fragment !== undefined && appliesTo(this.#selecting.schema, fragment.typeCondition, type))
        this.#collect(type, fragment.selectionSet.selections, { nodes, spread });
    }
  }

  #unseenFragment(name: string, spread: Set<string>): FragmentDefinitionNode | undefined {
    if (spread.has(name)) return undefined;
    spread.add(name);
    return this.#selecting.fragments.get(name);
  }

  /** Excludes keys under which another type has a different field: such a key does not identify the type. */
  #findTypenameKeys(): readonly string[] {
    const names = new Map<string, Set<string>>();
    for (const type of this.types)
      for (const [key, [node]] of this.#nodesFor(type)) {
        const known = names.get(key) ?? new Set();
        names.set(key, known.add(node!.name.value));
      }
    return [...names].flatMap(([key, set]) => (set.size === 1 && set.has('__typename') ? key : []));
  }

  #nodesFor(type: GraphQLObjectType): ReadonlyMap<string, readonly FieldNode[]> {
    const nodes = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const set of this.#sets) this.#collect(type, set.selections, { nodes, spread });
    return nodes;
  }
}

/** The fields of one object. */
interface Collected {
  readonly nodes: Map<string, FieldNode[]>;
  /** Fragments already included. Without this, sixty fragments that each spread the next two would have 10 ** 12 selections. */
  readonly spread: Set<string>;
}

/** The fields of introspection. `__typename` is left out, because it has no cache hint and returns no object. */
const metaFields = new Map<string, GraphQLField<unknown, unknown>>([
  ['__schema', SchemaMetaFieldDef],
  ['__type', TypeMetaFieldDef],
]);

function objectTypesOf(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLObjectType[] {
  return isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
}

function hasList(type: GraphQLOutputType): boolean {
  return isListType(type) || (isNonNullType(type) && hasList(type.ofType));
}
