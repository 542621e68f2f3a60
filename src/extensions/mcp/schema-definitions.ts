import { isRecord } from '../../shared/index.ts';
import { orNull } from './json-schema.ts';
import type { JSONSchema } from './json-schema.ts';

/** The length of a schema in characters up to which its parts are inlined, because many clients do not resolve references. */
const maxWrittenOut = 32_768;
/** The maximum length of a schema in its shortest form, which is part of every prompt. */
const maxCharacters = 262_144;
/** The maximum number of characters to generate for a schema. Equal parts are generated several times. */
const maxGenerated: number = 16 * maxCharacters;

/** The parts of one schema. Each is generated once, so the work is linear in the parts, and not in the length of the inlined schema. */
export class SchemaDefinitions {
  readonly #schemas = new Map<string, JSONSchema>();
  /** Names by the JSON of their schemas, so that equal parts have one name. */
  readonly #names = new Map<string, string>();
  /** The position in the document of the part that is being generated. */
  readonly path: string[] = [];
  #characters = 0;
  #generated = 0;

  /** Adds a part, unless there is an equal one. Returns a reference to it. Throws if the schema becomes too large. */
  add(name: string, schema: JSONSchema): JSONSchema {
    const json = JSON.stringify(schema);
    this.#generated += json.length;
    const known = this.#names.get(json);
    if (known !== undefined && this.#generated <= maxGenerated) return referenceTo(known);
    let unique = name;
    for (let count = 2; this.#schemas.has(unique); count++) unique = `${name}_${count}`;
    this.#names.set(json, unique);
    return this.set(unique, schema, json.length);
  }

  /** Adds a part under a separate name, to which other parts may already refer. */
  set(name: string, schema: JSONSchema, length: number = JSON.stringify(schema).length): JSONSchema {
    this.#schemas.set(name, schema);
    this.#characters += length;
    if (this.#characters > maxCharacters || this.#generated > maxGenerated)
      throw new Error(
        `The JSON Schema of "${this.path.join('.') || 'the operation'}" is too large: expected at most ${maxCharacters / 1024} KB for a tool.`,
      );
    return referenceTo(name);
  }

  /** The part to which a schema refers, or the schema itself. */
  resolve(schema: JSONSchema): JSONSchema {
    return this.#schemas.get(nameOf(schema) ?? '') ?? schema;
  }

  /** Returns the schema for clients. Parts are inlined, except recursive ones and, in a large schema, those that are used several times. */
  write(root: JSONSchema): JSONSchema {
    const parts = new Parts(this.#schemas);
    const size = parts.measure(root);
    const isKept = (name: string): boolean => parts.recursive.has(name) || (size > maxWrittenOut && parts.uses.get(name)! > 1);
    const writeOut = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(writeOut);
      if (!isRecord(value)) return value;
      const name = nameOf(value);
      if (name !== undefined && this.#schemas.has(name)) {
        if (isKept(name)) return value;
        const { $ref: _, ...rest } = value;
        return { ...(writeOut(this.#schemas.get(name)) as object), ...rest };
      }
      const { anyOf, ...rest } = value;
      const nullable = nullablePart(anyOf);
      if (nullable !== undefined && !isKept(nameOf(nullable) ?? '')) return { ...orNull(writeOut(nullable) as JSONSchema), ...rest };
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, writeOut(one)]));
    };
    const definitions = [...parts.uses.keys()].filter(isKept).map((name) => [name, writeOut(this.#schemas.get(name))]);
    return {
      ...(writeOut(this.resolve(root)) as JSONSchema),
      ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
    };
  }
}

/** Visits each part once. */
class Parts {
  /** The number of references to each part. */
  readonly uses = new Map<string, number>();
  /** Parts that contain themselves. */
  readonly recursive = new Set<string>();
  readonly #schemas: ReadonlyMap<string, JSONSchema>;
  readonly #sizes = new Map<string, number>();

  constructor(schemas: ReadonlyMap<string, JSONSchema>) {
    this.#schemas = schemas;
  }

  /** The length of a schema in which everything is inlined that is not recursive. */
  measure(value: unknown): number {
    if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + this.measure(item) + 1, 2);
    if (!isRecord(value)) return JSON.stringify(value)?.length ?? 0;
    const name = nameOf(value);
    const entries = Object.entries(value);
    const own = entries.reduce((sum, [key, one]) => sum + key.length + 4 + this.measure(one), 2);
    return name !== undefined && this.#schemas.has(name) ? own + this.#measurePart(name) : own;
  }

  #measurePart(name: string): number {
    this.uses.set(name, (this.uses.get(name) ?? 0) + 1);
    const known = this.#sizes.get(name);
    if (known === undefined) {
      this.#sizes.set(name, -1);
      const size = this.measure(this.#schemas.get(name));
      this.#sizes.set(name, size);
      return size;
    }
    if (known === -1) this.recursive.add(name);
    return Math.max(known, 0);
  }
}

const prefix = '#/$defs/';

function referenceTo(name: string): JSONSchema {
  return { $ref: prefix + name };
}

function nameOf({ $ref }: JSONSchema): string | undefined {
  return typeof $ref === 'string' && $ref.startsWith(prefix) ? $ref.slice(prefix.length) : undefined;
}

/** Returns the reference in the result of `orNull`, if it has one. */
function nullablePart(anyOf: unknown): JSONSchema | undefined {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return undefined;
  const [first, second] = anyOf as readonly JSONSchema[];
  return nameOf(first!) !== undefined && second!['type'] === 'null' ? first : undefined;
}
