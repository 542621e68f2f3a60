import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  TypeNameMetaFieldDef,
} from 'graphql';
import type {
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLField,
  GraphQLInterfaceType,
  GraphQLLeafType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';

import { descriptionKeyword, leafSchema, orNull, SchemaSize } from './json-schema.ts';
import type { Components, JSONSchema, ScalarSchemas } from './json-schema.ts';

interface Output {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly scalars: ScalarSchemas;
  /** Default: schemas have no references, nor required properties. */
  readonly components?: Components | undefined;
}

/**
 * The JSON Schema of an operation's data. An object has the properties of all selections, whatever their conditions: fields of one name have
 * one shape in a valid document. Without `$schema` and keywords that differ between drafts, because clients compile it. Throws a RangeError
 * if it has no references, and is too large.
 */
export function outputSchemaOf(output: Output, operation: OperationDefinitionNode): JSONSchema {
  return new OutputWriter(output).object([rootOf(output, operation)]);
}

/** The JSON Schemas of the value of one response key, with references. */
export interface ValueSchema {
  readonly schema: JSONSchema;
  /** The schema that also allows null. */
  readonly nullable: JSONSchema;
  readonly isNullable: boolean;
}

export function valueSchemaOf(output: Output, operation: OperationDefinitionNode, key: string): ValueSchema {
  return new OutputWriter(output).value(rootOf(output, operation), key);
}

function rootOf({ schema }: Output, { operation, selectionSet }: OperationDefinitionNode): Selections {
  return { type: schema.getRootType(operation)!, selectionSet };
}

interface Selections {
  readonly type: GraphQLCompositeType;
  readonly selectionSet: SelectionSetNode;
}

/** The selections of one response key. */
interface Selected {
  /** The type of the first of them. */
  readonly type: GraphQLOutputType;
  readonly notes: JSONSchema;
  readonly below: Selections[];
  /** True if each object has it, whatever its type and the variables. */
  isCertain: boolean;
}

/** The selections of an object by response key, and references to its fragments. */
interface Collected {
  readonly selected: Map<string, Selected>;
  readonly references: JSONSchema[];
  readonly visited: Set<SelectionSetNode>;
  /** Undefined: fragments are inlined. */
  readonly components: Components | undefined;
}

class OutputWriter {
  readonly #output: Output;
  readonly #size: SchemaSize;

  constructor(output: Output) {
    this.#output = output;
    this.#size = new SchemaSize(output.components === undefined);
  }

  value(root: Selections, key: string): ValueSchema {
    const { selected } = this.#collectAll([root], undefined);
    const { type, below } = selected.get(key)!;
    const schema = this.#nonNull(getNullableType(type), below);
    return { schema, nullable: orNull(schema), isNullable: !isNonNullType(type) };
  }

  object(given: readonly Selections[]): JSONSchema {
    const { selected, references } = this.#collectAll(given, this.#output.components);
    const whole = this.#ownProperties(selected);
    if (references.length === 0) return whole;
    const all = [...new Map(references.map((one) => [one['$ref'], one])).values()];
    return selected.size > 0 || all.length > 1 ? { allOf: [...all, ...(selected.size > 0 ? [whole] : [])] } : all[0]!;
  }

  #ownProperties(selected: ReadonlyMap<string, Selected>): JSONSchema {
    const required = Array.from(selected, ([key, { isCertain }]) => (isCertain ? [key] : [])).flat();
    const properties = Array.from(selected, ([key, field]) => {
      this.#size.add([key, field.notes]);
      return [key, { ...field.notes, ...this.#value(field.type, field.below) }];
    });
    const keywords = this.#output.components === undefined || required.length === 0 ? {} : { required };
    return { ...this.#size.add({ type: 'object' }), ...keywords, properties: Object.fromEntries(properties) as JSONSchema };
  }

  #collectAll(given: readonly Selections[], components: Components | undefined): Collected {
    const collected: Collected = { selected: new Map(), references: [], visited: new Set(), components };
    for (const one of given) this.#collect(collected, one, true);
    return collected;
  }

  /** `isCertain`: all objects have these selections. */
  #collect(collected: Collected, { type, selectionSet }: Selections, isCertain: boolean): void {
    const { selected, references, visited, components } = collected;
    // Fragments that spread each other twice would take exponential time.
    if (visited.has(selectionSet)) return;
    visited.add(selectionSet);
    const { schema, fragments } = this.#output;
    for (const selection of selectionSet.selections) {
      const isAlways = isCertain && selection.directives?.some(({ name }) => isCondition.test(name.value)) !== true;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const field = fieldOf(type, selection.name.value);
        const known = selected.get(key) ?? {
          type: field.type,
          notes: descriptionKeyword(field, this.#output.components),
          below: [],
          isCertain: false,
        };
        known.isCertain ||= isAlways;
        if (selection.selectionSet !== undefined)
          known.below.push({ type: getNamedType(field.type) as GraphQLCompositeType, selectionSet: selection.selectionSet });
        selected.set(key, known);
        continue;
      }
      const { typeCondition, selectionSet: inside } =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)!;
      const narrowed = (typeCondition && (schema.getType(typeCondition.name.value) as GraphQLCompositeType)) ?? type;
      const applies =
        isAlways && (narrowed === type || (isAbstractType(narrowed) && isObjectOrInterface(type) && schema.isSubType(narrowed, type)));
      const below = { type: narrowed, selectionSet: inside };
      if (selection.kind === Kind.FRAGMENT_SPREAD && applies && components !== undefined)
        references.push(components.ofFragment(selection.name.value, this.object([below])));
      else this.#collect(collected, below, applies);
    }
  }

  #value(type: GraphQLOutputType, below: readonly Selections[]): JSONSchema {
    if (!isNonNullType(type)) return orNull(this.#nonNull(type, below));
    return this.#nonNull(type.ofType, below);
  }

  #nonNull(type: GraphQLOutputType, below: readonly Selections[]): JSONSchema {
    if (isListType(type)) return { type: 'array', items: this.#value(type.ofType, below) };
    return isLeafType(type) ? this.#size.add(this.#leaf(type)) : this.object(below);
  }

  /** Without components, without `format`, for which some clients have no check. */
  #leaf(type: GraphQLLeafType): JSONSchema {
    const { scalars, components } = this.#output;
    const schema = leafSchema(type, scalars, components);
    if (components !== undefined || Object.hasOwn(scalars, type.name) || !('format' in schema)) return schema;
    return { type: schema['type'] };
  }
}

const isCondition = /^(?:skip|include)$/;

function isObjectOrInterface(type: GraphQLCompositeType): type is GraphQLObjectType | GraphQLInterfaceType {
  return isObjectType(type) || isInterfaceType(type);
}

function fieldOf(
  type: GraphQLCompositeType,
  name: string,
): Pick<GraphQLField<unknown, unknown>, 'type' | 'description' | 'deprecationReason'> {
  if (name === TypeNameMetaFieldDef.name) return { type: TypeNameMetaFieldDef.type, description: undefined, deprecationReason: undefined };
  return (type as GraphQLObjectType | GraphQLInterfaceType).getFields()[name]!;
}
