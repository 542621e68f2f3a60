import { getNamedType, isAbstractType, isListType, isNonNullType, isObjectType, Kind, SchemaMetaFieldDef, TypeMetaFieldDef } from 'graphql';
import type {
  DirectiveNode,
  DocumentNode,
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

/** A field of one object type in the answer. */
export interface SelectedField {
  readonly key: string;
  readonly name: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly hasList: boolean;
  /** Undefined for leaves. */
  readonly below: Selection | undefined;
}

/** The selection of the objects at one place of an answer. */
export interface Selection {
  readonly type: GraphQLNamedType;
  /** The object types that may be at this place. */
  readonly types: readonly GraphQLObjectType[];
  /** Keys that hold the name of the type, for every type that has them. */
  readonly typenameKeys: readonly string[];
  fieldsFor(type: GraphQLObjectType): readonly SelectedField[];
  /** The fields among these that have selections. */
  nestedFor(type: GraphQLObjectType): readonly SelectedField[];
  /** The fields among these that are lists or may be null, or that lead to such fields. Introspection is left out. */
  absentFor(type: GraphQLObjectType): readonly SelectedField[];
  /** True when any of the objects has such fields. */
  readonly hasAbsences: boolean;
  /** True when the fields are all leaves, introspection apart. */
  readonly isFlat: boolean;
  /** True when so much of the operation has been looked at that no more should be, but what is in an answer. */
  readonly isTooLarge: boolean;
  /** Keys that hold the field `id` of objects of the type. None where it has arguments: then there may be several ids. */
  idKeysFor(type: GraphQLObjectType): readonly string[];
}

/** An operation for which `@skip` and `@include` are decided. */
export interface Selecting {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** True when `@skip` and `@include` leave a selection in. */
  readonly isIncluded: (directives: readonly DirectiveNode[] | undefined) => boolean;
  /** The number of selections that were looked at, once for each type of object that they may be asked of. */
  looked?: number;
}

/**
 * The most of them: an interface of 60 types, with an interface in each of 100 fields, are 5 KB of text and 360,000 selections,
 * which took 700 ms and 73 MiB.
 */
const maxLooked = 15_000;

/** The selections of an operation, each made when it is first asked for. Undefined: the schema has no such root type. */
export function selectionOf(selecting: Selecting, operation: OperationDefinitionNode): Selection | undefined {
  const root = selecting.schema.getRootType(operation.operation);
  return root ? new TypedSelection(selecting, root, [operation.selectionSet]) : undefined;
}

/** The fragments of a document by name. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return fragments;
}

class TypedSelection implements Selection {
  readonly type: GraphQLNamedType;
  readonly types: readonly GraphQLObjectType[];
  readonly #selecting: Selecting;
  readonly #sets: readonly SelectionSetNode[];
  readonly #fields = new Map<GraphQLObjectType, readonly SelectedField[]>();
  readonly #nested = new Map<GraphQLObjectType, readonly SelectedField[]>();
  readonly #idKeys = new Map<GraphQLObjectType, readonly string[]>();
  readonly #absent = new Map<GraphQLObjectType, readonly SelectedField[]>();
  #typenameKeys: readonly string[] | undefined;
  #hasAbsences: boolean | undefined;
  #isFlat: boolean | undefined;

  constructor(selecting: Selecting, type: GraphQLNamedType, sets: readonly SelectionSetNode[]) {
    this.type = type;
    this.types = isAbstractType(type) ? selecting.schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
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

  nestedFor(type: GraphQLObjectType): readonly SelectedField[] {
    const known = this.#nested.get(type);
    if (known !== undefined) return known;
    const fields = this.fieldsFor(type).filter(({ below }) => below !== undefined);
    this.#nested.set(type, fields);
    return fields;
  }

  absentFor(type: GraphQLObjectType): readonly SelectedField[] {
    const known = this.#absent.get(type);
    if (known !== undefined) return known;
    const fields = this.nestedFor(type).filter(
      ({ name, field, hasList: isList, below }) => !name.startsWith('__') && (isList || !isNonNullType(field.type) || below!.hasAbsences),
    );
    this.#absent.set(type, fields);
    return fields;
  }

  get hasAbsences(): boolean {
    if (this.#hasAbsences !== undefined) return this.#hasAbsences;
    // There is too much to tell: then all of the answer is looked at.
    return (this.#hasAbsences = this.types.some((type) => this.isTooLarge || this.absentFor(type).length > 0));
  }

  get isFlat(): boolean {
    return (this.#isFlat ??= this.types.every((type) => this.nestedFor(type).every(({ name }) => name.startsWith('__'))));
  }

  get isTooLarge(): boolean {
    return (this.#selecting.looked ?? 0) > maxLooked;
  }

  idKeysFor(type: GraphQLObjectType): readonly string[] {
    const known = this.#idKeys.get(type);
    if (known !== undefined) return known;
    const keys = this.fieldsFor(type).flatMap(({ key, name, field }) => (name === 'id' && field.args.length === 0 ? key : []));
    this.#idKeys.set(type, keys);
    return keys;
  }

  #selectedField(parent: GraphQLObjectType, key: string, nodes: readonly [FieldNode, ...FieldNode[]]): SelectedField[] {
    const name = nodes[0].name.value;
    const field = name.startsWith('__') ? metaFields.get(name) : parent.getFields()[name];
    if (field === undefined) return [];
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const below = sets.length === 0 ? undefined : new TypedSelection(this.#selecting, getNamedType(field.type), sets);
    return [{ key, name, field, hasList: hasList(field.type), below }];
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
      if (fragment !== undefined && this.#applies(fragment.typeCondition?.name.value, type))
        this.#collect(type, fragment.selectionSet.selections, { nodes, spread });
    }
  }

  #unseenFragment(name: string, spread: Set<string>): FragmentDefinitionNode | undefined {
    if (spread.has(name)) return undefined;
    spread.add(name);
    return this.#selecting.fragments.get(name);
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const named = this.#selecting.schema.getType(condition);
    return isAbstractType(named) && this.#selecting.schema.isSubType(named, type);
  }

  /** Another type may have a field of its own under the same key: then the key does not tell the type. */
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
  /** Fragments that are in it already. Without this, sixty that each spread the next two are 10 ** 12 selections. */
  readonly spread: Set<string>;
}

/** The fields of introspection. `__typename` is left out: it has neither a hint nor an object. */
const metaFields = new Map<string, GraphQLField<unknown, unknown>>([
  ['__schema', SchemaMetaFieldDef],
  ['__type', TypeMetaFieldDef],
]);

function hasList(type: GraphQLOutputType): boolean {
  return isListType(type) || (isNonNullType(type) && hasList(type.ofType));
}
