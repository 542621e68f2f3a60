import { GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLInt, GraphQLString, isEnumType } from 'graphql';
import type { GraphQLEnumType, GraphQLInputField, GraphQLLeafType, GraphQLScalarType, GraphQLSchema } from 'graphql';

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

/** Counts the characters of a schema while it is written, if its parts are inlined, so that nested ones multiply. */
export class SchemaSize {
  #characters = 0;
  readonly #isBounded: boolean;

  constructor(isBounded: boolean) {
    this.#isBounded = isBounded;
  }

  /** Returns the part. Throws a RangeError if the schema becomes too large. */
  add<T extends object>(part: T): T {
    if (this.#isBounded) this.#characters += JSON.stringify(part).length;
    if (this.#characters > maxCharacters) throw new RangeError('Expected a schema of at most 64 KB.');
    return part;
  }
}

/** Schemas that others refer to: of input objects, enums and named fragments. */
export class Components {
  readonly schemas: Map<string, JSONSchema> = new Map();
  readonly #typeNames: ReadonlySet<string>;

  constructor(schema: GraphQLSchema) {
    this.#typeNames = new Set(Object.keys(schema.getTypeMap()));
  }

  /** Refers to a type, whose schema may contain itself. */
  ofType(name: string, write: () => JSONSchema): JSONSchema {
    if (!this.schemas.has(name)) {
      this.schemas.set(name, {});
      this.schemas.set(name, write());
    }
    return refersTo(name);
  }

  /** Refers to a fragment. Fragments of one name in two documents that differ get a number. */
  ofFragment(name: string, schema: JSONSchema): JSONSchema {
    const free = this.#typeNames.has(name) ? `${name}Fragment` : name;
    for (let at = 1; ; at++) {
      const numbered = at === 1 ? free : `${free}${at}`;
      if (this.#typeNames.has(numbered)) continue;
      const known = this.schemas.get(numbered);
      if (known === undefined) this.schemas.set(numbered, schema);
      if (known === undefined || JSON.stringify(known) === JSON.stringify(schema)) return refersTo(numbered);
    }
  }
}

function refersTo(name: string): JSONSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schemas that others are made of. */
export interface Parts {
  /** The schemas of custom scalars. */
  readonly scalars: ScalarSchemas;
  /**
   * The shared schemas. Default: schemas have no references, because many clients do not resolve them. Then an input object inside itself
   * is described as any object, and data have no required properties.
   */
  readonly components?: Components | undefined;
}

/** Any value is possible for a scalar without a schema. */
export function leafSchema(type: GraphQLLeafType, scalars: ScalarSchemas, components?: Components): JSONSchema {
  if (isEnumType(type)) return components === undefined ? enumSchema(type) : components.ofType(type.name, () => enumSchema(type));
  return builtIn.get(type) ?? scalarSchemaOf(type, scalars);
}

/** The schema of a custom scalar: from an option, else by the specification that the schema names with `@specifiedBy`. */
function scalarSchemaOf({ name, specifiedByURL }: GraphQLScalarType, scalars: ScalarSchemas): JSONSchema {
  if (Object.hasOwn(scalars, name)) return scalars[name]!;
  const [, specification = ''] =
    /^https:\/\/scalars\.graphql\.org\/[\w-]+\/([a-z-]+?)(?:-v[\d.]+)?(?:\.html)?$/.exec(specifiedByURL ?? '') ?? [];
  return specified.find(([, specifications]) => specifications.includes(specification))?.[0] ?? {};
}

const ofFormat = (format: string): JSONSchema => ({ type: 'string', format });

/** Schemas, with the specifications of scalars.graphql.org that they describe, by the last part of their addresses. */
const specified: readonly (readonly [schema: JSONSchema, specifications: readonly string[]])[] = [
  [ofFormat('date-time'), ['date-time', 'instant']],
  [ofFormat('date'), ['local-date', 'localdate', 'date']],
  [ofFormat('time'), ['local-time', 'localtime']],
  [ofFormat('duration'), ['duration', 'accurate-duration', 'nominal-duration']],
  [ofFormat('uuid'), ['uuid']],
  [ofFormat('uri'), ['url', 'uri']],
  [ofFormat('email'), ['email-address']],
  [{ type: 'string', contentEncoding: 'base64' }, ['base64-string']],
  [{ type: 'integer' }, ['byte', 'short', 'unsigned-byte', 'unsigned-short', 'unsigned-int']],
];

/** The notes on a definition. */
export type Notes = Partial<Pick<GraphQLInputField, 'description' | 'deprecationReason'>>;

/** The keywords for the notes on a definition: its description, and with components whether it is deprecated. */
export function descriptionKeyword({ description, deprecationReason }: Notes, components?: Components): JSONSchema {
  const isDeprecated = components !== undefined && (deprecationReason ?? undefined) !== undefined;
  return { ...(description && { description }), ...(isDeprecated && { deprecated: true }) };
}

function enumSchema(type: GraphQLEnumType): JSONSchema {
  const values = type.getValues();
  const descriptions = values.flatMap(({ name, description }) => (description ? [`${name}: ${description}`] : []));
  return { type: 'string', enum: values.map(({ name }) => name), ...(descriptions.length > 0 && { description: descriptions.join('\n') }) };
}

/** Returns a schema that also allows null. */
export function orNull(schema: JSONSchema): JSONSchema {
  const { type } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (typeof type !== 'string' || combining.some((key) => key in schema)) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(schema['enum']) && { enum: [...(schema['enum'] as unknown[]), null] }) };
}

/** Keywords that may refuse null although the type allows it. */
const combining = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'const', '$ref'];
