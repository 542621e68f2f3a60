import { getNamedType, isAbstractType, isListType, isNonNullType, isObjectType, Kind } from 'graphql';
import type {
  DirectiveNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  InlineFragmentNode,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';

/** An operation whose `@skip` and `@include` have been evaluated. */
export interface Selecting {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** True when `@skip` and `@include` do not exclude a selection. */
  readonly isIncluded: (directives: readonly DirectiveNode[] | undefined) => boolean;
}

/** A selected field of one of the types that an object may have. */
export interface SelectedField {
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
}

/** The selected fields of objects of one type. */
export interface Shape {
  /** The response names of all fields, joined with spaces. */
  readonly keys: string;
  /** The response name of the id. With arguments, an object may have several ids, so that such a field is none. */
  readonly idKey: string | undefined;
  /** The fields with selections. */
  readonly fields: readonly NestedField[];
}

/** A field with a selection. */
export interface NestedField {
  readonly key: string;
  readonly hasList: boolean;
  readonly below: Place;
}

/** Selections that are read for one list of fields. Documents with more are possible, because fragments apply to many types. */
const maxSteps = 100_000;

/** Returns the place of the root object. Undefined: the schema has no such root type. */
export function rootOf(selecting: Selecting, operation: OperationDefinitionNode): Place | undefined {
  const root = selecting.schema.getRootType(operation.operation);
  return root ? new Place(selecting, root, [operation.selectionSet]) : undefined;
}

/** A place of an answer where objects may be, with their selections. */
export class Place {
  readonly type: GraphQLNamedType;
  /** The object types that may be at this place. */
  readonly types: readonly GraphQLObjectType[];
  readonly #selecting: Selecting;
  readonly #sets: readonly SelectionSetNode[];
  readonly #shapes = new Map<GraphQLObjectType, Shape>();
  readonly #typesByKeys = new Map<string, GraphQLObjectType | undefined>();
  #typenameKeys: readonly string[] | undefined;
  #typesBelow: ReadonlySet<string> | undefined;

  constructor(selecting: Selecting, type: GraphQLNamedType, sets: readonly SelectionSetNode[]) {
    this.type = type;
    this.types = objectTypesOf(selecting.schema, type);
    this.#selecting = selecting;
    this.#sets = sets;
  }

  /** The type of an object. Undefined: its `__typename` is not selected, and several types have the same fields. */
  typeOf(object: Readonly<Record<string, unknown>>): GraphQLObjectType | undefined {
    if (!isAbstractType(this.type)) return this.types[0];
    this.#typenameKeys ??= this.#findTypenameKeys();
    const key = this.#typenameKeys.find((one) => one in object);
    if (key !== undefined) return this.types.find(({ name }) => name === object[key]);
    const keys = Object.keys(object).join(' ');
    if (!this.#typesByKeys.has(keys)) {
      const types = this.types.filter((type) => this.shapeOf(type).keys === keys);
      this.#typesByKeys.set(keys, types.length === 1 ? types[0] : undefined);
    }
    return this.#typesByKeys.get(keys);
  }

  shapeOf(type: GraphQLObjectType): Shape {
    const known = this.#shapes.get(type);
    if (known !== undefined) return known;
    let idKey: string | undefined;
    const fields: NestedField[] = [];
    const nodesByKey = this.#nodesFor((fragment) => this.#applies(fragment, type));
    for (const [key, nodes] of nodesByKey) {
      const { name } = nodes[0]!;
      const field = type.getFields()[name.value];
      if (field === undefined) continue;
      if (name.value === 'id' && field.args.length === 0) idKey ??= key;
      const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      const below = (): Place => new Place(this.#selecting, getNamedType(field.type), sets);
      if (sets.length > 0) fields.push({ key, hasList: hasList(field.type), below: below() });
    }
    const shape = { keys: [...nodesByKey.keys()].join(' '), idKey, fields };
    this.#shapes.set(type, shape);
    return shape;
  }

  /** The names of the selected fields of all types, each once. */
  get fieldNames(): readonly string[] {
    return [...new Set([...this.#nodesFor(() => true).values()].flat().map(({ name }) => name.value))];
  }

  /** Visits each field of each type that may be here or below, once or more often. False: there are too many, and not all were visited. */
  eachField(visit: (selected: SelectedField) => void): boolean {
    const { schema, fragments, isIncluded } = this.#selecting;
    const spread = new Set<string>();
    let left = maxSteps;
    const walk = (types: readonly GraphQLObjectType[], { selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if ((left -= types.length + 1) < 0) return;
        if (!isIncluded(selection.directives)) continue;
        if (selection.kind === Kind.FIELD) {
          const below = new Set<GraphQLObjectType>();
          for (const parent of types) {
            const field = parent.getFields()[selection.name.value];
            if (field === undefined) continue;
            visit({ parent, field, node: selection });
            for (const type of objectTypesOf(schema, getNamedType(field.type))) below.add(type);
          }
          if (selection.selectionSet !== undefined) walk([...below], selection.selectionSet);
          continue;
        }
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        const narrowed = types.filter((type) => this.#applies(fragment, type));
        const key = selection.kind === Kind.FRAGMENT_SPREAD ? [selection.name.value, ...narrowed].join(' ') : '';
        if (fragment === undefined || spread.has(key)) continue;
        if (key !== '') spread.add(key);
        walk(narrowed, fragment.selectionSet);
      }
    };
    for (const set of this.#sets) walk(this.types, set);
    return left >= 0;
  }

  /** The names of all object types that may be here or below, or of all types of the schema if the selection is too large. */
  typesBelow(): ReadonlySet<string> {
    if (this.#typesBelow !== undefined) return this.#typesBelow;
    const { schema } = this.#selecting;
    const found = new Set(this.types);
    const isWhole = this.eachField(({ field }) => {
      for (const type of objectTypesOf(schema, getNamedType(field.type))) found.add(type);
    });
    const all = isWhole ? [...found] : Object.values(schema.getTypeMap()).filter((type) => isObjectType(type));
    return (this.#typesBelow = new Set(all.map(({ name }) => name)));
  }

  /** The fields with selections, by response name. Without the set of fragments, sixty that each spread the next two would have 10 ** 12. */
  #nodesFor(applies: (fragment: FragmentDefinitionNode | InlineFragmentNode) => boolean): ReadonlyMap<string, readonly FieldNode[]> {
    const { fragments, isIncluded } = this.#selecting;
    const nodes = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (!isIncluded(selection.directives)) continue;
        if (selection.kind === Kind.FIELD) {
          const key = selection.alias?.value ?? selection.name.value;
          const known = nodes.get(key);
          if (known === undefined) nodes.set(key, [selection]);
          else known.push(selection);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          if (applies(selection)) collect(selection.selectionSet);
        } else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          const fragment = fragments.get(selection.name.value);
          if (fragment !== undefined && applies(fragment)) collect(fragment.selectionSet);
        }
      }
    };
    for (const set of this.#sets) collect(set);
    return nodes;
  }

  /** Excludes keys under which another type has a different field: such a key does not identify the type. */
  #findTypenameKeys(): readonly string[] {
    const nodes = [...this.#nodesFor(() => true)];
    return nodes.flatMap(([key, all]) => (all.every(({ name }) => name.value === '__typename') ? key : []));
  }

  #applies(fragment: Partial<Pick<InlineFragmentNode, 'typeCondition'>> | undefined, type: GraphQLObjectType): boolean {
    const { schema } = this.#selecting;
    const condition = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value);
    return condition === undefined || condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
  }
}

function objectTypesOf(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLObjectType[] {
  return isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
}

function hasList(type: GraphQLOutputType): boolean {
  return isListType(type) || (isNonNullType(type) && hasList(type.ofType));
}
