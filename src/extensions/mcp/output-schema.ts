import { getNamedType, isAbstractType, isLeafType, isListType, isNonNullType, Kind, TypeNameMetaFieldDef } from 'graphql';
import type {
  DirectiveNode,
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';

import { leafSchema, orNull } from './json-schema.ts';
import type { JSONSchema, ScalarSchemas } from './json-schema.ts';

interface Output {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly scalars: ScalarSchemas;
}

/** The JSON Schema of an operation's data. Without `$schema`, `format` and keywords that differ between drafts, because clients compile it. */
export function outputSchemaOf(output: Output, operation: OperationDefinitionNode): JSONSchema {
  return new OutputWriter(output).objects(output.schema.getRootType(operation.operation)!, [operation.selectionSet]);
}

/** The selections of one response key. */
interface Selected {
  readonly name: string;
  readonly selectionSets: SelectionSetNode[];
  /** True when no condition can leave it out. */
  isCertain: boolean;
}

class OutputWriter {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  /** The shapes of all possible types; equal ones once. */
  objects(type: GraphQLCompositeType, selectionSets: readonly SelectionSetNode[]): JSONSchema {
    const possible = isAbstractType(type) ? this.#output.schema.getPossibleTypes(type) : [type];
    const shapes = new Map<string, JSONSchema>();
    for (const one of possible) {
      const shape = this.#object(one, selectionSets);
      shapes.set(JSON.stringify(shape), shape);
    }
    const [first, ...others] = shapes.values();
    return others.length === 0 ? first! : { anyOf: [first!, ...others] };
  }

  #object(type: GraphQLObjectType, selectionSets: readonly SelectionSetNode[]): JSONSchema {
    const selected = new Map<string, Selected>();
    for (const selectionSet of selectionSets) this.#collect(selected, type, { selectionSet, isCertain: true });
    const properties: Record<string, JSONSchema> = {};
    const required: string[] = [];
    for (const [key, { name, selectionSets: below, isCertain }] of selected) {
      Object.defineProperty(properties, key, { value: this.#field(type, name, below), enumerable: true });
      if (isCertain) required.push(key);
    }
    return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
  }

  #collect(
    selected: Map<string, Selected>,
    type: GraphQLObjectType,
    { selectionSet, isCertain }: { selectionSet: SelectionSetNode; isCertain: boolean },
  ): void {
    for (const selection of selectionSet.selections) {
      const included = isIncluded(selection.directives ?? []);
      if (included === 'never') continue;
      const certain = isCertain && included === 'always';
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const known = selected.get(key) ?? { name: selection.name.value, selectionSets: [], isCertain: false };
        known.isCertain ||= certain;
        if (selection.selectionSet !== undefined) known.selectionSets.push(selection.selectionSet);
        selected.set(key, known);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#output.fragments.get(selection.name.value);
      if (fragment !== undefined && this.#applies(type, fragment.typeCondition?.name.value))
        this.#collect(selected, type, { selectionSet: fragment.selectionSet, isCertain: certain });
    }
  }

  #applies(type: GraphQLObjectType, condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true;
    const other = this.#output.schema.getType(condition);
    return isAbstractType(other) && this.#output.schema.isSubType(other, type);
  }

  #field(type: GraphQLObjectType, name: string, below: readonly SelectionSetNode[]): JSONSchema {
    if (name === TypeNameMetaFieldDef.name) return { const: type.name };
    const field = type.getFields()[name]!;
    const schema = this.#value(field.type, below);
    return field.description ? { description: field.description, ...schema } : schema;
  }

  #value(type: GraphQLOutputType, below: readonly SelectionSetNode[]): JSONSchema {
    if (!isNonNullType(type)) return orNull(this.#nonNull(type, below));
    return this.#nonNull(type.ofType, below);
  }

  #nonNull(type: GraphQLOutputType, below: readonly SelectionSetNode[]): JSONSchema {
    if (isListType(type)) return { type: 'array', items: this.#value(type.ofType, below) };
    if (isLeafType(type)) return leafSchema(type, this.#output.scalars);
    return this.objects(getNamedType(type) as GraphQLCompositeType, below);
  }
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
