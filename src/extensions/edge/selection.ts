import { getNamedType, isAbstractType, isListType, isNonNullType, isObjectType } from 'graphql';
import type {
  FieldNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import { selectionsOf } from '../../executor/index.ts';
import type { SelectionsOrigin } from '../../executor/index.ts';
import { getOrCreate } from '../../shared/index.ts';

type Collect = ReturnType<typeof selectionsOf>;

/** A selected field of one of the types that an object may have. */
export interface SelectedField {
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly nodes: readonly FieldNode[];
}

/** The selected fields of objects of one type. */
export interface Shape {
  /** The response names of all fields, joined with spaces. */
  readonly keys: string;
  /** The response names of `__typename`. */
  readonly typenameKeys: readonly string[];
  /** The response name of the id. With arguments, an object may have several ids, so that such a field is none. */
  readonly idKey: string | undefined;
  /** The fields with selections, without introspection. */
  readonly fields: readonly NestedField[];
}

/** A field with a selection. */
export interface NestedField {
  readonly key: string;
  readonly hasList: boolean;
  readonly below: Place;
}

/** Fields that are read for one list of fields. Documents with more are possible, because fragments apply to many types. */
const maxSteps = 100_000;

/** Returns the place of the root object; undefined if the schema has no such root type. */
export function rootOf(origin: SelectionsOrigin, operation: OperationDefinitionNode): Place | undefined {
  const root = origin.schema.getRootType(operation.operation);
  return root ? new Place(origin.schema, selectionsOf(origin), root, [operation as unknown as FieldNode]) : undefined;
}

/** A place of an answer where objects may be, with their selections. */
export class Place {
  readonly type: GraphQLNamedType;
  /** The object types that may be at this place. */
  readonly types: readonly GraphQLObjectType[];
  readonly #schema: GraphQLSchema;
  readonly #collect: Collect;
  readonly #nodes: readonly FieldNode[];
  readonly #shapes = new Map<GraphQLObjectType, Shape>();
  readonly #typesByKeys = new Map<string, readonly GraphQLObjectType[]>();
  #typesBelow: ReadonlySet<string> | undefined;

  constructor(schema: GraphQLSchema, collect: Collect, type: GraphQLNamedType, nodes: readonly FieldNode[]) {
    this.type = type;
    this.types = objectTypesOf(schema, type);
    this.#schema = schema;
    this.#collect = collect;
    this.#nodes = nodes;
  }

  /** The type of an object. Undefined: several types have the same fields, and its `__typename` is not selected. */
  typeOf(object: Readonly<Record<string, unknown>>): GraphQLObjectType | undefined {
    if (!isAbstractType(this.type)) return this.types[0];
    const keys = Object.keys(object).join(' ');
    const withKeys = getOrCreate(this.#typesByKeys, keys, () => this.types.filter((type) => this.shapeOf(type).keys === keys));
    if (withKeys.length === 1) return withKeys[0];
    // A name that another type has under the alias of __typename is not believed.
    const [key] = withKeys.length === 0 ? [] : this.shapeOf(withKeys[0]!).typenameKeys;
    const isNamed = key !== undefined && withKeys.every((type) => this.shapeOf(type).typenameKeys.includes(key));
    return isNamed ? withKeys.find(({ name }) => name === object[key]) : undefined;
  }

  shapeOf(type: GraphQLObjectType): Shape {
    return getOrCreate(this.#shapes, type, () => this.#newShape(type));
  }

  #newShape(type: GraphQLObjectType): Shape {
    const { fields } = this.#collect(type, this.#nodes);
    const nested = fields.flatMap(({ responseName: key, definition, nodes }): NestedField[] => {
      if (nodes[0]!.selectionSet === undefined || definition.name.startsWith('__')) return [];
      const below = new Place(this.#schema, this.#collect, getNamedType(definition.type), nodes);
      return [{ key, hasList: hasList(definition.type), below }];
    });
    return {
      keys: fields.map(({ responseName }) => responseName).join(' '),
      typenameKeys: fields.flatMap(({ responseName, fieldName }) => (fieldName === '__typename' ? responseName : [])),
      idKey: fields.find(({ definition }) => definition.name === 'id' && definition.args.length === 0)?.responseName,
      fields: nested,
    };
  }

  /** The names of the fields that are selected for the root object. */
  get fieldNames(): readonly string[] {
    return [...new Set(this.#collect(this.types[0]!, this.#nodes).fields.map(({ fieldName }) => fieldName))];
  }

  /** Visits each field of each type that may be here or below. Returns false if there are too many to visit them all. */
  eachField(visit: (selected: SelectedField) => void): boolean {
    const walked = new Map<FieldNode, { readonly type: GraphQLNamedType; readonly nodes: readonly FieldNode[] }[]>();
    let left = maxSteps;
    const walk = (type: GraphQLNamedType, nodes: readonly FieldNode[]): void => {
      const known = getOrCreate(walked, nodes[0]!, () => []);
      const isSame = (other: readonly FieldNode[]): boolean =>
        other.length === nodes.length && other.every((node, at) => node === nodes[at]);
      if (--left < 0 || known.some((one) => one.type === type && isSame(one.nodes))) return;
      known.push({ type, nodes });
      for (const parent of objectTypesOf(this.#schema, type))
        for (const { definition: field, nodes: below } of this.#collect(parent, nodes).fields) {
          // Fields of introspection have no hints.
          if (--left < 0 || field.name.startsWith('__')) continue;
          visit({ parent, field, nodes: below });
          walk(getNamedType(field.type), below);
        }
    };
    walk(this.type, this.#nodes);
    return left >= 0;
  }

  /** The names of all object types that may be here or below, or of all types of the schema if the selection is too large. */
  typesBelow(): ReadonlySet<string> {
    if (this.#typesBelow !== undefined) return this.#typesBelow;
    const found = new Set(this.types);
    const isWhole = this.eachField(({ field }) => {
      for (const type of objectTypesOf(this.#schema, getNamedType(field.type))) found.add(type);
    });
    const all = isWhole ? [...found] : Object.values(this.#schema.getTypeMap()).filter((type) => isObjectType(type));
    return (this.#typesBelow = new Set(all.map(({ name }) => name)));
  }
}

function objectTypesOf(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLObjectType[] {
  return isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
}

function hasList(type: GraphQLOutputType): boolean {
  return isListType(type) || (isNonNullType(type) && hasList(type.ofType));
}
