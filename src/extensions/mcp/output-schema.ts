import { getNamedType, isAbstractType, isEnumType, isLeafType, isListType, isNonNullType, Kind, TypeNameMetaFieldDef } from 'graphql';
import type {
  DirectiveNode,
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLEnumType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';

import { appliesTo } from '../../executor/for-extensions.ts';
import { descriptionKeyword, leafSchema, orNull } from './json-schema.ts';
import type { JSONSchema, ScalarSchemas } from './json-schema.ts';
import { SchemaDefinitions } from './schema-definitions.ts';

interface Output {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly scalars: ScalarSchemas;
}

/** The JSON Schema of an operation's data. Without `$schema`, `format` and keywords that differ between drafts, because clients compile it. */
export function outputSchemaOf(output: Output, operation: OperationDefinitionNode): JSONSchema {
  const root = output.schema.getRootType(operation.operation)!;
  const writer = new OutputWriter(output);
  return writer.definitions.write(writer.objects(root, [{ selectionSet: operation.selectionSet, isCertain: true }]));
}

interface Selections {
  readonly selectionSet: SelectionSetNode;
  /** True if no condition can exclude them. */
  readonly isCertain: boolean;
}

/** The selections of one response key. */
interface Selected {
  readonly name: string;
  readonly below: Selections[];
  /** True if no condition can exclude it. */
  isCertain: boolean;
}

/** The fields of one object while they are collected. */
interface Collection {
  readonly type: GraphQLObjectType;
  readonly selected: Map<string, Selected>;
  /** True for selection sets that no condition can exclude. */
  readonly visited: Map<SelectionSetNode, boolean>;
}

class OutputWriter {
  readonly definitions: SchemaDefinitions = new SchemaDefinitions();
  readonly #output: Output;
  /** References by type and selections. */
  readonly #known = new Map<string, JSONSchema>();
  readonly #ids = new Map<SelectionSetNode, number>();

  constructor(output: Output) {
    this.#output = output;
  }

  /** Returns a reference to the shapes of all possible types. Equal shapes occur once. */
  objects(type: GraphQLCompositeType, given: readonly Selections[]): JSONSchema {
    const selections = merged(given);
    const key = `${type.name} ${selections.map((one) => this.#keyOf(one)).join(' ')}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const schema = this.#shapes(type, selections);
    this.#known.set(key, schema);
    return schema;
  }

  #keyOf({ selectionSet, isCertain }: Selections): string {
    const id = this.#ids.get(selectionSet) ?? this.#ids.size;
    this.#ids.set(selectionSet, id);
    return `${id}${isCertain ? '!' : ''}`;
  }

  #shapes(type: GraphQLCompositeType, selections: readonly Selections[]): JSONSchema {
    if (!isAbstractType(type)) return this.definitions.add(type.name, this.#object(type, selections));
    const possible = this.#output.schema.getPossibleTypes(type);
    const references = possible.map((one) => this.objects(one, selections));
    const [first, ...others] = new Map(references.map((reference) => [reference['$ref'], reference])).values();
    // An interface without implementations has no values.
    if (others.length === 0) return first ?? { type: 'object' };
    return this.definitions.add(type.name, { anyOf: [first!, ...others] });
  }

  #object(type: GraphQLObjectType, selections: readonly Selections[]): JSONSchema {
    const selected = new Map<string, Selected>();
    const collection = { type, selected, visited: new Map<SelectionSetNode, boolean>() };
    for (const one of selections) this.#collect(collection, one);
    const properties = Object.fromEntries(
      [...selected].map(([key, { name, below }]) => {
        this.definitions.path.push(key);
        const field = this.#field(type, name, below);
        this.definitions.path.pop();
        return [key, field];
      }),
    );
    const required = [...selected].flatMap(([key, { isCertain }]) => (isCertain ? [key] : []));
    return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
  }

  #collect(collection: Collection, { selectionSet, isCertain }: Selections): void {
    const { type, selected, visited } = collection;
    // Fragments that spread each other twice would take exponential time.
    if (visited.get(selectionSet) === true || (visited.has(selectionSet) && !isCertain)) return;
    visited.set(selectionSet, isCertain);
    for (const selection of selectionSet.selections) {
      const included = isIncluded(selection.directives ?? []);
      if (included === 'never') continue;
      const certain = isCertain && included === 'always';
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const known = selected.get(key) ?? { name: selection.name.value, below: [], isCertain: false };
        known.isCertain ||= certain;
        if (selection.selectionSet !== undefined) known.below.push({ selectionSet: selection.selectionSet, isCertain: certain });
        selected.set(key, known);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#output.fragments.get(selection.name.value);
      if (fragment !== undefined && appliesTo(this.#output.schema, fragment.typeCondition, type))
        this.#collect(collection, { selectionSet: fragment.selectionSet, isCertain: certain });
    }
  }

  #field(type: GraphQLObjectType, name: string, below: readonly Selections[]): JSONSchema {
    if (name === TypeNameMetaFieldDef.name) return { const: type.name };
    const field = type.getFields()[name]!;
    return { ...descriptionKeyword(field), ...this.#value(field.type, below) };
  }

  #value(type: GraphQLOutputType, below: readonly Selections[]): JSONSchema {
    if (!isNonNullType(type)) return orNull(this.#nonNull(type, below));
    return this.#nonNull(type.ofType, below);
  }

  #nonNull(type: GraphQLOutputType, below: readonly Selections[]): JSONSchema {
    if (isListType(type)) return { type: 'array', items: this.#value(type.ofType, below) };
    if (isEnumType(type)) return this.#enum(type);
    if (isLeafType(type)) return leafSchema(type, this.#output.scalars);
    return this.objects(getNamedType(type) as GraphQLCompositeType, below);
  }

  #enum(type: GraphQLEnumType): JSONSchema {
    const known = this.#known.get(type.name) ?? this.definitions.add(type.name, leafSchema(type, this.#output.scalars));
    this.#known.set(type.name, known);
    return known;
  }
}

/** Lists each selection set once. If there is only one, its unconditional fields are always in the object. */
function merged(given: readonly Selections[]): readonly Selections[] {
  const certain = new Map<SelectionSetNode, boolean>();
  for (const { selectionSet, isCertain } of given) certain.set(selectionSet, isCertain || certain.get(selectionSet) === true);
  return [...certain].map(([selectionSet, isCertain]) => ({ selectionSet, isCertain: isCertain || certain.size === 1 }));
}

function isIncluded(directives: readonly DirectiveNode[]): 'always' | 'never' | 'maybe' {
  let isCertain = true;
  for (const { name, arguments: given } of directives) {
    if (name.value !== 'include' && name.value !== 'skip') continue;
    const value = given?.[0]?.value;
    if (value?.kind !== Kind.BOOLEAN) isCertain = false;
    else if (value.value !== (name.value === 'include')) return 'never';
  }
  return isCertain ? 'always' : 'maybe';
}
