import {
  astFromValue,
  getNullableType,
  GraphQLID,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';
import type {
  ConstValueNode,
  GraphQLInputField,
  GraphQLInputObjectType,
  GraphQLInputType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import { descriptionKeyword, leafSchema, orNull, SchemaSize } from './json-schema.ts';
import type { JSONSchema, Notes, Parts } from './json-schema.ts';

interface Input extends Parts {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  /** Variables that clients do not send. Default: none */
  readonly hidden?: ReadonlySet<string>;
}

/** The JSON Schema of an operation's variables. Throws a RangeError for a schema without references that is too large. */
export function inputSchemaOf({ schema, operation, hidden, ...parts }: Input): JSONSchema {
  const writer = new InputWriter(parts);
  const isMutation = operation.operation === 'mutation';
  const definitions = (operation.variableDefinitions ?? []).filter(({ variable }) => hidden?.has(variable.name.value) !== true);
  const fields = definitions.map((definition): Field => {
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType;
    const isNonNull = isNonNullType(type);
    const hasDefault = definition.defaultValue !== undefined;
    return {
      name: definition.variable.name.value,
      type,
      // In a query an absent value means nearly the same as null; in a mutation null often clears a value.
      mayBeNull: isMutation && !isNonNull && !hasDefault,
      isRequired: isNonNull && !hasDefault,
      description: (definition as { readonly description?: { readonly value: string } }).description?.value,
      default: definition.defaultValue && fitted(valueFromASTUntyped(definition.defaultValue), type),
    };
  });
  return writer.object(fields);
}

/** The JSON Schema of values of a type that are not null, with references. */
export function typeSchemaOf(type: GraphQLInputType, parts: Parts): JSONSchema {
  return new InputWriter(parts).nonNull(type);
}

/** A JSON Schema of an input object without requiring the members that come from elsewhere. Each is a path of field names. */
export function partialSchemaOf(type: GraphQLInputObjectType, members: readonly (readonly string[])[], parts: Parts): JSONSchema {
  const writer = new InputWriter(parts);
  const whole = writer.inputObject(type) as {
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, JSONSchema>>;
  };
  const given = new Set(members.map(([first]) => first));
  const required = (whole.required ?? []).filter((name) => !given.has(name));
  const changed = Object.entries(whole.properties).map(([name, property]) => {
    const below = members.flatMap(([first, ...rest]) => (first === name && rest.length > 0 ? [rest] : []));
    const inner = getNullableType(type.getFields()[name]!.type);
    return [name, below.length > 0 && isInputObjectType(inner) ? partialSchemaOf(inner, below, parts) : property];
  });
  const { required: _, ...rest } = whole;
  return { ...rest, ...(required.length > 0 && { required }), properties: Object.fromEntries(changed) as JSONSchema };
}

/** A variable, or a field of an input object. */
interface Field extends Notes {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly mayBeNull: boolean;
  readonly isRequired: boolean;
  readonly default: unknown;
}

class InputWriter {
  readonly #parts: Parts;
  readonly #size: SchemaSize;
  /** The input objects that contain the part that is being written. */
  readonly #open = new Set<GraphQLInputObjectType>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#size = new SchemaSize(parts.components === undefined);
  }

  object(fields: readonly Field[]): JSONSchema {
    const required = fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
    // Object.fromEntries, because a variable may have the name __proto__.
    const properties = Object.fromEntries(
      fields.map((field) => {
        const value = this.nonNull(field.type);
        const notes = {
          ...descriptionKeyword(field, this.#parts.components),
          ...((field.default ?? null) !== null && { default: field.default }),
        };
        this.#size.add([field.name, notes]);
        return [field.name, { ...(field.mayBeNull ? orNull(value) : value), ...notes }];
      }),
    );
    const keywords = { type: 'object', ...(required.length > 0 && { required }), additionalProperties: false };
    return { ...this.#size.add(keywords), properties };
  }

  nonNull(type: GraphQLInputType): JSONSchema {
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      const items = this.nonNull(nullable.ofType);
      return { type: 'array', items: isNonNullType(nullable.ofType) ? items : orNull(items) };
    }
    const { scalars, components } = this.#parts;
    if (!isInputObjectType(nullable)) return this.#size.add(leafSchema(nullable, scalars, components));
    if (components !== undefined) return components.ofType(nullable.name, () => this.inputObject(nullable));
    if (this.#open.has(nullable)) return this.#size.add({ type: 'object' });
    this.#open.add(nullable);
    const schema = this.inputObject(nullable);
    this.#open.delete(nullable);
    return schema;
  }

  inputObject(nullable: GraphQLInputObjectType): JSONSchema {
    const fields = Object.values(nullable.getFields()).map((field): Field => ({
      name: field.name,
      type: field.type,
      mayBeNull: !nullable.isOneOf && !isNonNullType(field.type),
      isRequired: isRequiredInputField(field),
      description: field.description,
      deprecationReason: field.deprecationReason,
      default: defaultOf(field),
    }));
    return { ...this.object(fields), ...descriptionKeyword(nullable), ...(nullable.isOneOf && { minProperties: 1, maxProperties: 1 }) };
  }
}

/** A default in the form that the schema has: GraphQL also accepts a number as an ID, and one item in place of a list. */
function fitted(value: unknown, type: GraphQLInputType): unknown {
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (value === null || value === undefined) return value;
  if (isListType(nullable)) return (Array.isArray(value) ? value : [value]).map((item) => fitted(item, nullable.ofType));
  return nullable === GraphQLID ? String(value) : value;
}

/** The default of an input field, in the form that clients send. */
function defaultOf(field: GraphQLInputField): unknown {
  const { default: given } = field as { readonly default?: { readonly literal?: ConstValueNode; readonly value?: unknown } };
  if (given?.value !== undefined) return fitted(given.value, field.type);
  const literal = given?.literal ?? (field.defaultValue === undefined ? undefined : astFromValue(field.defaultValue, field.type));
  return literal && fitted(valueFromASTUntyped(literal), field.type);
}
