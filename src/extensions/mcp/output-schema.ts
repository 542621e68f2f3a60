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

import { descriptionKeyword, leafSchema, orNull } from './json-schema.ts';
import type { JSONSchema, ScalarSchemas } from './json-schema.ts';

interface Output {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly scalars: ScalarSchemas;
}

/** The JSON Schema of an operation's data. Without `$schema`, `format` and keywords that differ between drafts, because clients compile it. */
export function outputSchemaOf(output: Output, operation: OperationDefinitionNode): JSONSchema {
  const root = output.schema.getRootType(operation.operation)!;
  return new OutputWriter(output).objects(root, [{ selectionSet: operation.selectionSet, isCertain: true }]);
}

interface Selections {
  readonly selectionSet: SelectionSetNode;
  /** True when no condition can leave them out. */
  readonly isCertain: boolean;
}

/** The selections of one response key. */
interface Selected {
  readonly name: string;
  readonly below: Selections[];
  /** True when no condition can leave it out. */
  isCertain: boolean;
}

class OutputWriter {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  /** The shapes of all possible types; equal ones once. */
  objects(type: GraphQLCompositeType, selections: readonly Selections[]): JSONSchema {
    const possible = isAbstractType(type) ? this.#output.schema.getPossibleTypes(type) : [type];
    const shapes = new Map<string, JSONSchema>();
    for (const one of possible) {
      const shape = this.#object(one, selections);
      shapes.set(JSON.stringify(shape), shape);
    }
    const [first, ...others] = shapes.values();
    // An interface without implementations has no values.
    return others.length === 0 ? (first ?? { type: 'object' }) : { anyOf: [first!, ...others] };
  }

  #object(type: GraphQLObjectType, selections: readonly Selections[]): JSONSchema {
    const selected = new Map<string, Selected>();
    // Where only one selection can make the object, everything certain in it is there whenever the object is.
    const isOnly = selections.length === 1;
    for (const { selectionSet, isCertain } of selections) this.#collect(selected, type, { selectionSet, isCertain: isCertain || isOnly });
    const properties = Object.fromEntries([...selected].map(([key, { name, below }]) => [key, this.#field(type, name, below)]));
    const required = [...selected].flatMap(([key, { isCertain }]) => (isCertain ? [key] : []));
    return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
  }

  #collect(selected: Map<string, Selected>, type: GraphQLObjectType, { selectionSet, isCertain }: Selections): void {
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
      if (fragment !== undefined && this.#applies(type, fragment.typeCondition?.name.value))
        this.#collect(selected, type, { selectionSet: fragment.selectionSet, isCertain: certain });
    }
  }

  #applies(type: GraphQLObjectType, condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true;
    const other = this.#output.schema.getType(condition);
    return isAbstractType(other) && this.#output.schema.isSubType(other, type);
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
