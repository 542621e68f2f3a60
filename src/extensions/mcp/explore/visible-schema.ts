import {
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import type {
  GraphQLArgument,
  GraphQLEnumValue,
  GraphQLField,
  GraphQLInputField,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
} from 'graphql';

export type Composite = GraphQLObjectType | GraphQLInterfaceType;
export type Field = GraphQLField<unknown, unknown>;
type Place = GraphQLNamedType | Field | GraphQLArgument | GraphQLInputField | GraphQLEnumValue;

/** Fields of a subgraph, through which `_service` shows the schema and `_entities` reaches objects without a path. */
const ofSubgraph: ReadonlySet<string> = new Set(['_service', '_entities']);

/**
 * The part of a schema that agents may know: what queries reach without anything that has the directive `hide`. What cannot be used without
 * something hidden is hidden, too: fields that return it, need it as an argument, or are the same field in an interface.
 */
export class VisibleSchema {
  readonly schema: GraphQLSchema;
  /** The types that queries reach, in alphabetical order. */
  readonly types: ReadonlySet<GraphQLNamedType>;
  readonly #directive: string | undefined;
  readonly #hidden = new Set<GraphQLNamedType>();
  readonly #fields = new Map<GraphQLNamedType, ReadonlyMap<string, Field>>();

  /** Throws if a transform of the schema has dropped what may have the directive. */
  constructor(schema: GraphQLSchema, directive: string | undefined) {
    this.schema = schema;
    this.#directive = directive;
    this.types = this.#reach();
    if (directive === undefined) return;
    this.#hide();
    this.#fields.clear();
    this.types = this.#reach();
  }

  /** The visible fields of a type, by name. None: it is no object or interface. */
  fieldsOf(type: GraphQLNamedType): ReadonlyMap<string, Field> {
    let fields = this.#fields.get(type);
    if (fields === undefined) {
      const visible = isComposite(type) ? allOf(type.getFields()).filter((field) => this.#isVisibleField(type, field)) : [];
      this.#fields.set(type, (fields = new Map(visible.map((field) => [field.name, field]))));
    }
    return fields;
  }

  /** `__typename` could name a hidden type. */
  hasField(type: GraphQLNamedType, name: string): boolean {
    if (name !== '__typename') return this.types.has(type) && this.fieldsOf(type).has(name);
    return !isAbstractType(type) || this.schema.getPossibleTypes(type).every((one) => !this.#hidden.has(one));
  }

  hasType(name: string): boolean {
    const type = this.schema.getType(name);
    if (type === undefined || this.#hidden.has(type)) return false;
    // Conditions may name unions that no field returns.
    const isUnion = isUnionType(type) && this.possibleTypesOf(type).some((one) => this.types.has(one));
    return isUnion || this.types.has(type) || isSpecifiedScalarType(type);
  }

  /** True for an argument, an input field or an enum value that is visible. */
  has(place: GraphQLArgument | GraphQLInputField | GraphQLEnumValue | undefined): boolean {
    return place !== undefined && !this.#isMarked(place) && !('type' in place && this.#hidden.has(getNamedType(place.type)));
  }

  /** The visible object types of an abstract type, in alphabetical order. */
  possibleTypesOf(type: GraphQLNamedType): readonly GraphQLObjectType[] {
    if (!isAbstractType(type)) return [];
    const possible = this.schema.getPossibleTypes(type).filter((one) => !this.#hidden.has(one));
    return possible.toSorted(byName);
  }

  /** The visible values of an enum, or fields of an input object. None: another type. */
  membersOf(type: GraphQLNamedType): readonly (GraphQLEnumValue | GraphQLInputField)[] {
    const members = isEnumType(type) ? type.getValues() : isInputObjectType(type) ? Object.values(type.getFields()) : [];
    return members.filter((one) => this.has(one));
  }

  argumentsOf({ args }: Field): readonly GraphQLArgument[] {
    return args.filter((one) => this.has(one));
  }

  #isMarked(place: Place): boolean {
    if (this.#directive === undefined) return false;
    const nodes = [place.astNode, ...('extensionASTNodes' in place ? (place.extensionASTNodes ?? []) : [])].filter((node) => node != null);
    if (nodes.length === 0 && !isSpecifiedScalarType(place as GraphQLNamedType))
      throw new Error(
        `Whether "${place.name}" has the directive @${this.#directive} is unknown, because a transform has dropped its node.`,
      );
    return nodes.some((node) => node.directives?.some(({ name }) => name.value === this.#directive));
  }

  #isVisibleField(type: Composite, field: Field): boolean {
    const { name, args } = field;
    if (ofSubgraph.has(name)) return false;
    if (this.#directive === undefined) return true;
    if (this.#isMarked(field) || this.#hidden.has(getNamedType(field.type))) return false;
    if (args.some((one) => isRequiredArgument(one) && !this.has(one))) return false;
    const ofInterfaces = type.getInterfaces().map((one) => [one, one.getFields()[name]] as const);
    if (ofInterfaces.some(([one, same]) => same && (this.#hidden.has(one) || this.#isMarked(same)))) return false;
    const objects = isInterfaceType(type) ? this.schema.getPossibleTypes(type) : [];
    return objects.every((one) => !this.#hidden.has(one) && this.#isVisibleField(one, one.getFields()[name]!));
  }

  /** Finds the hidden types of those that queries reach. Each may hide others. */
  #hide(): void {
    const types = [...this.types];
    let hidden = types.filter((type) => this.#isMarked(type));
    do {
      for (const type of hidden) this.#hidden.add(type);
      hidden = types.filter((type) => !this.#hidden.has(type) && !this.#isUsable(type));
    } while (hidden.length > 0);
  }

  #isUsable(type: GraphQLNamedType): boolean {
    if (isAbstractType(type)) return this.possibleTypesOf(type).length > 0;
    if (isObjectType(type)) return Object.values(type.getFields()).some((field) => this.#isVisibleField(type, field));
    if (!isEnumType(type) && !isInputObjectType(type)) return true;
    const required = isInputObjectType(type) ? Object.values(type.getFields()).filter(isRequiredInputField) : [];
    return this.membersOf(type).length > 0 && required.every((one) => this.has(one));
  }

  #reach(): ReadonlySet<GraphQLNamedType> {
    const found = new Set<GraphQLNamedType>([this.schema.getQueryType()!].filter((type) => !this.#hidden.has(type)));
    for (const type of found) {
      const fields = [...this.fieldsOf(type).values()];
      const typed = [
        ...fields,
        ...fields.flatMap((field) => this.argumentsOf(field)),
        ...this.membersOf(type).filter((one) => 'type' in one),
      ];
      const next = [
        ...typed.map((one) => getNamedType(one.type)),
        ...(isComposite(type) ? type.getInterfaces() : []),
        ...this.possibleTypesOf(type),
      ];
      for (const one of next) if (!this.#hidden.has(one)) found.add(one);
    }
    return new Set([...found].toSorted(byName));
  }
}

function isComposite(type: GraphQLNamedType): type is Composite {
  return isObjectType(type) || isInterfaceType(type);
}

/** `Object.values` also asks a lazy record for the descriptor of each entry. */
function allOf<T>(fields: Record<string, T>): readonly T[] {
  return Reflect.ownKeys(fields).map((name) => fields[name as string]!);
}

function byName(one: GraphQLNamedType, other: GraphQLNamedType): number {
  return one.name < other.name ? -1 : 1;
}
