import { getNamedType, getNullableType, isAbstractType, isLeafType, isListType, isNonNullType, Kind, TypeNameMetaFieldDef } from 'graphql';
import type {
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLInterfaceType,
  GraphQLLeafType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';

import { getOrCreate } from '../../shared/index.ts';
import { descriptionKeyword, leafSchema, orNull, SchemaSize } from './json-schema.ts';
import type { Components, JSONSchema, Notes, Parts } from './json-schema.ts';

interface Output extends Parts {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/**
 * The JSON Schema of an operation's data. An object has the properties of all selections, whatever their conditions: fields of one name
 * have one shape in a valid document. It has no `$schema` and no keywords that differ between drafts, because clients compile it. Throws a
 * RangeError for a schema without references that is too large.
 */
export function outputSchemaOf(output: Output, operation: OperationDefinitionNode): JSONSchema {
  return new OutputWriter(output).object([rootOf(output, operation)]);
}

/** The JSON Schema of the value of one response key if it is not null, with references, and whether it may be null. */
export function valueSchemaOf(
  output: Output,
  operation: OperationDefinitionNode,
  key: string,
): { readonly schema: JSONSchema; readonly isNullable: boolean } {
  return new OutputWriter(output).value(rootOf(output, operation), key);
}

function rootOf({ schema }: Output, { operation, selectionSet }: OperationDefinitionNode): Selections {
  return { type: schema.getRootType(operation)!, selectionSet };
}

interface Selections {
  readonly type: GraphQLCompositeType;
  readonly selectionSet: SelectionSetNode;
  /** True if every object of the parent selection has this property, whatever its type and the variables. Undefined for a root. */
  readonly isCertain?: boolean;
}

/** The selections of one response key. */
interface Selected {
  /** The type of the first selection. */
  readonly type: GraphQLOutputType;
  readonly notes: JSONSchema;
  readonly below: Selections[];
  /** True if every object has this property, whatever its type and the variables. */
  isCertain: boolean;
  /** False if only fragments select the property, and the schema refers to them. */
  isOwn: boolean;
}

/** The selections of an object by response key, and references to its fragments. */
interface Collected {
  readonly selected: Map<string, Selected>;
  readonly references: JSONSchema[];
  readonly visited: Set<SelectionSetNode>;
  /** The shared schemas; undefined if fragments are inlined. */
  readonly components: Components | undefined;
}

class OutputWriter {
  readonly #output: Output;
  readonly #size: SchemaSize;
  /** References by the names of fragments. */
  readonly #references = new Map<string, JSONSchema>();
  #isInFragment = false;

  constructor(output: Output) {
    this.#output = output;
    this.#size = new SchemaSize(output.components === undefined);
  }

  value(root: Selections, key: string): ReturnType<typeof valueSchemaOf> {
    const { selected } = this.#collectAll([root], undefined);
    const { type, below } = selected.get(key)!;
    return { schema: this.#nonNull(getNullableType(type), below), isNullable: !isNonNullType(type) };
  }

  object(given: readonly Selections[]): JSONSchema {
    const { selected, references } = this.#collectAll(given, this.#output.components);
    const own = [...selected].filter(([, { isOwn }]) => isOwn);
    const all = [...new Set(references)];
    if (all.length === 0 || own.length > 0) all.push(this.#ownProperties(own));
    return all.length > 1 ? { allOf: all } : all[0]!;
  }

  #ownProperties(own: readonly (readonly [key: string, field: Selected])[]): JSONSchema {
    const required = own.flatMap(([key, { isCertain }]) => (isCertain ? [key] : []));
    const properties = own.map(([key, field]) => {
      this.#size.add([key, field.notes]);
      return [key, { ...field.notes, ...this.#value(field.type, field.below) }];
    });
    const keywords = this.#output.components === undefined || required.length === 0 ? {} : { required };
    return { ...this.#size.add({ type: 'object' }), ...keywords, properties: Object.fromEntries(properties) as JSONSchema };
  }

  #collectAll(given: readonly Selections[], components: Components | undefined): Collected {
    const collected: Collected = { selected: new Map(), references: [], visited: new Set(), components };
    // A single selection applies to every object, unless it is in a fragment, beside which there may be other selections.
    const isSingle = given.length === 1 && !this.#isInFragment;
    for (const one of given) this.#collect(collected, { ...one, isCertain: isSingle || one.isCertain !== false }, true);
    return collected;
  }

  /** `isOwn`: the schema does not refer to a fragment with these selections. */
  #collect(collected: Collected, { type, selectionSet, isCertain = false }: Selections, isOwn: boolean): void {
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
        const notes = descriptionKeyword(field, this.#output.components);
        const known = getOrCreate(selected, key, () => ({ type: field.type, notes, below: [], isCertain: false, isOwn: false }));
        known.isCertain ||= isAlways;
        known.isOwn ||= isOwn;
        const below = getNamedType(field.type) as GraphQLCompositeType;
        if (selection.selectionSet !== undefined)
          known.below.push({ type: below, selectionSet: selection.selectionSet, isCertain: isAlways });
        continue;
      }
      const { typeCondition, selectionSet: inside } =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)!;
      const narrowed = (typeCondition && (schema.getType(typeCondition.name.value) as GraphQLCompositeType)) ?? type;
      const applies =
        isAlways && (narrowed === type || (isAbstractType(narrowed) && schema.isSubType(narrowed, type as GraphQLObjectType)));
      const below = { type: narrowed, selectionSet: inside, isCertain: applies };
      const isReference = selection.kind === Kind.FRAGMENT_SPREAD && applies && isOwn && components !== undefined;
      if (isReference) references.push(this.#referTo(components, selection.name.value, below));
      this.#collect(collected, below, isOwn && !isReference);
    }
  }

  #referTo(components: Components, name: string, fragment: Selections): JSONSchema {
    return getOrCreate(this.#references, name, () => {
      const isInside = this.#isInFragment;
      this.#isInFragment = true;
      const reference = components.ofFragment(name, this.object([fragment]));
      this.#isInFragment = isInside;
      return reference;
    });
  }

  #value(type: GraphQLOutputType, below: readonly Selections[]): JSONSchema {
    if (!isNonNullType(type)) return orNull(this.#nonNull(type, below));
    return this.#nonNull(type.ofType, below);
  }

  #nonNull(type: GraphQLOutputType, below: readonly Selections[]): JSONSchema {
    if (isListType(type)) return { type: 'array', items: this.#value(type.ofType, below) };
    return isLeafType(type) ? this.#size.add(this.#leaf(type)) : this.object(below);
  }

  /** Returns the schema of a scalar or an enum. Inlined schemas have no `format`, because some clients cannot check it. */
  #leaf(type: GraphQLLeafType): JSONSchema {
    const { scalars, components } = this.#output;
    const schema = leafSchema(type, scalars, components);
    if (components !== undefined || Object.hasOwn(scalars, type.name) || !('format' in schema)) return schema;
    return { type: schema['type'] };
  }
}

const isCondition = /^(?:skip|include)$/;

function fieldOf(type: GraphQLCompositeType, name: string): Notes & { readonly type: GraphQLOutputType } {
  if (name === TypeNameMetaFieldDef.name) return { type: TypeNameMetaFieldDef.type };
  return (type as GraphQLObjectType | GraphQLInterfaceType).getFields()[name]!;
}
