import {
  astFromValue,
  GraphQLID,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  typeFromAST,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type {
  ConstValueNode,
  DocumentNode,
  GraphQLEnumType,
  GraphQLInputField,
  GraphQLInputObjectType,
  GraphQLInputType,
  GraphQLLeafType,
  GraphQLSchema,
  OperationDefinitionNode,
  VariableDefinitionNode,
} from 'graphql';

import { descriptionKeyword, leafSchema, orNull } from './json-schema.ts';
import type { JSONSchema, ScalarSchemas } from './json-schema.ts';
import { SchemaDefinitions } from './schema-definitions.ts';

interface Input {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly scalars: ScalarSchemas;
  /** Variables that the server fills. */
  readonly hidden: ReadonlySet<string>;
}

/** The JSON Schema of an operation's variables. */
export function inputSchemaOf({ schema, document, operation, scalars, hidden }: Input): JSONSchema {
  const writer = new InputWriter(scalars);
  const neverNull = namesInNonNullPlaces(schema, document);
  const isMutation = operation.operation === 'mutation';
  // An object literal would not work for a variable named __proto__.
  const properties: [string, JSONSchema][] = [];
  const required: string[] = [];
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    if (hidden.has(name)) continue;
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType;
    // In a query an absent value means nearly the same as null; in a mutation null often clears a value.
    const mayBeNull = isMutation && !isNonNullType(type) && definition.defaultValue === undefined && !neverNull.has(name);
    writer.definitions.path.push(`$${name}`);
    const value = writer.nonNull(type);
    writer.definitions.path.pop();
    properties.push([name, { ...(mayBeNull ? orNull(value) : value), ...extras(definition, type) }]);
    if (isNonNullType(type) && definition.defaultValue === undefined) required.push(name);
  }
  return writer.definitions.write({
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  });
}

function extras(definition: VariableDefinitionNode, type: GraphQLInputType): JSONSchema {
  const { description } = definition as { readonly description?: { readonly value: string } };
  const value = definition.defaultValue && fitted(valueFromASTUntyped(definition.defaultValue), type);
  return {
    ...(description && { description: description.value }),
    ...(value !== undefined && value !== null && { default: value }),
  };
}

/** A default in the form that the schema has: GraphQL also accepts a number as an ID, and one item in place of a list. */
function fitted(value: unknown, type: GraphQLInputType): unknown {
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (value === null || value === undefined) return value;
  if (isListType(nullable)) return (Array.isArray(value) ? value : [value]).map((item) => fitted(item, nullable.ofType));
  return nullable === GraphQLID ? String(value) : value;
}

/** Variables whose null would fail when the operation runs: `$first: Int` for an argument `first: Int! = 10`. */
function namesInNonNullPlaces(schema: GraphQLSchema, document: DocumentNode): Set<string> {
  const names = new Set<string>();
  const info = new TypeInfo(schema);
  const note = {
    Variable: ({ name }: { readonly name: { readonly value: string } }) =>
      void (isNonNullType(info.getInputType()) && names.add(name.value)),
  };
  visit(document, visitWithTypeInfo(info, note));
  return names;
}

class InputWriter {
  readonly definitions: SchemaDefinitions = new SchemaDefinitions();
  readonly #scalars: ScalarSchemas;
  readonly #known = new Map<GraphQLInputType, JSONSchema>();

  constructor(scalars: ScalarSchemas) {
    this.#scalars = scalars;
  }

  nonNull(type: GraphQLInputType): JSONSchema {
    const nullable = isNonNullType(type) ? type.ofType : type;
    if (isListType(nullable)) return { type: 'array', items: this.#value(nullable.ofType) };
    if (isInputObjectType(nullable) || isEnumType(nullable)) return this.#part(nullable);
    return leafSchema(nullable as GraphQLLeafType, this.#scalars);
  }

  #value(type: GraphQLInputType): JSONSchema {
    const schema = this.nonNull(type);
    return isNonNullType(type) ? schema : orNull(schema);
  }

  /** Registers the type before its fields, because they may contain the type. */
  #part(type: GraphQLInputObjectType | GraphQLEnumType): JSONSchema {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const reference = { $ref: `#/$defs/${type.name}` };
    this.#known.set(type, reference);
    return this.definitions.set(type.name, isEnumType(type) ? leafSchema(type, this.#scalars) : this.#fields(type));
  }

  #fields(type: GraphQLInputObjectType): JSONSchema {
    const fields = Object.values(type.getFields());
    const required = fields.filter(isRequiredInputField).map(({ name }) => name);
    const properties = fields.map((field) => [field.name, this.#field(field, type.isOneOf)] as const);
    return {
      type: 'object',
      ...descriptionKeyword(type),
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
      additionalProperties: false,
    };
  }

  #field(field: GraphQLInputField, isOneOf: boolean): JSONSchema {
    this.definitions.path.push(field.name);
    const value = isOneOf ? this.nonNull(field.type) : this.#value(field.type);
    this.definitions.path.pop();
    const given = defaultOf(field);
    return { ...value, ...descriptionKeyword(field), ...(given !== undefined && given !== null && { default: given }) };
  }
}

/** The default of an input field, in the form that clients send. */
function defaultOf(field: GraphQLInputField): unknown {
  const { default: given } = field as { readonly default?: { readonly literal?: ConstValueNode; readonly value?: unknown } };
  if (given?.value !== undefined) return fitted(given.value, field.type);
  const literal = given?.literal ?? (field.defaultValue === undefined ? undefined : astFromValue(field.defaultValue, field.type));
  return literal && fitted(valueFromASTUntyped(literal), field.type);
}
