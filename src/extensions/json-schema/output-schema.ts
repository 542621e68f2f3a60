import { getNamedType, isLeafType, isListType, isNonNullType, Kind, TypeNameMetaFieldDef } from 'graphql';
import type {
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';

import { descriptionKeyword, leafSchema, orNull, SchemaSize } from './json-schema.ts';
import type { JSONSchema, ScalarSchemas } from './json-schema.ts';

interface Output {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly scalars: ScalarSchemas;
}

/**
 * The JSON Schema of an operation's data. An object has the properties of all selections, whatever their conditions: fields of one name have
 * one shape in a valid document. Without `$schema`, `format` and keywords that differ between drafts, because clients compile it. Throws a
 * RangeError if it is too large.
 */
export function outputSchemaOf(output: Output, operation: OperationDefinitionNode): JSONSchema {
  const root = output.schema.getRootType(operation.operation)!;
  return new OutputWriter(output).object([{ type: root, selectionSet: operation.selectionSet }]);
}

interface Selections {
  readonly type: GraphQLCompositeType;
  readonly selectionSet: SelectionSetNode;
}

/** The selections of one response key. */
interface Selected {
  /** The type of the first of them. */
  readonly type: GraphQLOutputType;
  readonly description: string | null | undefined;
  readonly below: Selections[];
}

class OutputWriter {
  readonly #output: Output;
  readonly #size = new SchemaSize();

  constructor(output: Output) {
    this.#output = output;
  }

  object(given: readonly Selections[]): JSONSchema {
    const selected = new Map<string, Selected>();
    const visited = new Set<SelectionSetNode>();
    for (const one of given) this.#collect(selected, one, visited);
    const properties = Array.from(selected, ([key, field]) => {
      const description = descriptionKeyword(field);
      this.#size.add([key, description]);
      return [key, { ...description, ...this.#value(field.type, field.below) }];
    });
    return { ...this.#size.add({ type: 'object' }), properties: Object.fromEntries(properties) as JSONSchema };
  }

  #collect(selected: Map<string, Selected>, { type, selectionSet }: Selections, visited: Set<SelectionSetNode>): void {
    // Fragments that spread each other twice would take exponential time.
    if (visited.has(selectionSet)) return;
    visited.add(selectionSet);
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const field = fieldOf(type, selection.name.value);
        const known = selected.get(key) ?? { type: field.type, description: field.description, below: [] };
        if (selection.selectionSet !== undefined)
          known.below.push({ type: getNamedType(field.type) as GraphQLCompositeType, selectionSet: selection.selectionSet });
        selected.set(key, known);
        continue;
      }
      const { typeCondition, selectionSet: inside } =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#output.fragments.get(selection.name.value)!;
      const narrowed = typeCondition && (this.#output.schema.getType(typeCondition.name.value) as GraphQLCompositeType);
      this.#collect(selected, { type: narrowed ?? type, selectionSet: inside }, visited);
    }
  }

  #value(type: GraphQLOutputType, below: readonly Selections[]): JSONSchema {
    if (!isNonNullType(type)) return orNull(this.#nonNull(type, below));
    return this.#nonNull(type.ofType, below);
  }

  #nonNull(type: GraphQLOutputType, below: readonly Selections[]): JSONSchema {
    if (isListType(type)) return { type: 'array', items: this.#value(type.ofType, below) };
    return isLeafType(type) ? this.#size.add(leafSchema(type, this.#output.scalars)) : this.object(below);
  }
}

function fieldOf(type: GraphQLCompositeType, name: string): Pick<Selected, 'type' | 'description'> {
  if (name === TypeNameMetaFieldDef.name) return { type: TypeNameMetaFieldDef.type, description: undefined };
  return (type as GraphQLObjectType | GraphQLInterfaceType).getFields()[name]!;
}
