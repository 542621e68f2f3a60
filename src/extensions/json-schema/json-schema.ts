import { GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLInt, GraphQLString, isEnumType } from 'graphql';
import type { GraphQLEnumType, GraphQLLeafType } from 'graphql';

/** A schema of JSON Schema 2020-12. */
export type JSONSchema = Readonly<Record<string, unknown>>;

/** Schemas of custom scalars by name. */
export type ScalarSchemas = Readonly<Record<string, JSONSchema>>;

const builtIn: ReadonlyMap<unknown, JSONSchema> = /* @__PURE__ */ new Map<unknown, JSONSchema>([
  [GraphQLInt, { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }],
  [GraphQLFloat, { type: 'number' }],
  [GraphQLString, { type: 'string' }],
  [GraphQLBoolean, { type: 'boolean' }],
  // GraphQL also accepts integers as input; one type is clearer.
  [GraphQLID, { type: 'string' }],
]);

/** The maximum length of a schema in characters: it is part of every prompt. */
const maxCharacters = 65_536;

/** Counts the characters of a schema while it is written: its parts are inlined, so nested ones multiply. */
export class SchemaSize {
  #characters = 0;

  /** Returns the part. Throws a RangeError if the schema becomes too large. */
  add<T extends object>(part: T): T {
    this.#characters += JSON.stringify(part).length;
    if (this.#characters > maxCharacters) throw new RangeError('Expected a schema of at most 64 KB.');
    return part;
  }
}

/** Any value is possible for a scalar without a schema. */
export function leafSchema(type: GraphQLLeafType, scalars: ScalarSchemas): JSONSchema {
  if (isEnumType(type)) return enumSchema(type);
  return builtIn.get(type) ?? (Object.hasOwn(scalars, type.name) ? scalars[type.name]! : {});
}

/** The keyword for the description of a definition, if it has one. */
export function descriptionKeyword({ description }: { readonly description?: string | null | undefined }): JSONSchema {
  return description ? { description } : {};
}

function enumSchema(type: GraphQLEnumType): JSONSchema {
  const values = type.getValues();
  const descriptions = values.flatMap(({ name, description }) => (description ? [`${name}: ${description}`] : []));
  return { type: 'string', enum: values.map(({ name }) => name), ...(descriptions.length > 0 && { description: descriptions.join('\n') }) };
}

/** The schema, and null. */
export function orNull(schema: JSONSchema): JSONSchema {
  const { type } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (typeof type !== 'string' || combining.some((key) => key in schema)) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(schema['enum']) && { enum: [...(schema['enum'] as unknown[]), null] }) };
}

/** Keywords that may refuse null although the type allows it. */
const combining = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'const', '$ref'];
