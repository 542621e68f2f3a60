import { GraphQLObjectType } from 'graphql';
import type { GraphQLField, GraphQLFieldConfig, GraphQLFieldMap, GraphQLObjectTypeConfig } from 'graphql';

/** Makes the fields of a type one at a time. */
export interface FieldSource {
  /** The names as keys, in the order of the schema. */
  readonly names: () => ReadonlyMap<string, unknown>;
  readonly config: (name: string) => GraphQLFieldConfig<unknown, unknown>;
}

/**
 * An object type whose fields are parsed one by one, when they are first looked at.
 *
 * For the root types: in a schema of 3,000 types Query has 1,500 fields of which an operation uses a few,
 * and parsing them all is most of what a cold start would cost.
 */
export class LazyFieldsObjectType extends GraphQLObjectType {
  readonly #source: FieldSource;
  #fields: GraphQLFieldMap<unknown, unknown> | undefined;

  constructor(config: Omit<GraphQLObjectTypeConfig<unknown, unknown>, 'fields'>, source: FieldSource) {
    super({ ...config, fields: {} });
    this.#source = source;
  }

  override getFields(): GraphQLFieldMap<unknown, unknown> {
    return (this.#fields ??= this.#lazyFields());
  }

  /**
   * Asked for single fields it makes single fields; listing or changing them makes an ordinary object of it. A Proxy,
   * because a property with a getter for each of 2,000 fields takes a cold process some milliseconds.
   */
  #lazyFields(): GraphQLFieldMap<unknown, unknown> {
    const names = this.#source.names();
    const fields: GraphQLFieldMap<unknown, unknown> = Object.create(null);
    let isWhole = false;
    const get = (name: string): GraphQLField<unknown, unknown> | undefined =>
      fields[name] ?? (isWhole || !names.has(name) ? undefined : (fields[name] = this.#createField(name)));
    const whole = (): GraphQLFieldMap<unknown, unknown> => {
      if (isWhole) return fields;
      const made = Array.from(names.keys(), (name) => [name, get(name) as GraphQLField<unknown, unknown>] as const);
      isWhole = true;
      // In the order of the schema, not in that of the operations.
      for (const [name] of made) delete fields[name];
      for (const [name, field] of made) fields[name] = field;
      return fields;
    };
    return new Proxy(fields, {
      get: (_, name) => (typeof name === 'string' ? get(name) : undefined),
      has: (_, name) => (isWhole ? name in fields : names.has(name as string)),
      ownKeys: () => Reflect.ownKeys(whole()),
      getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(whole(), name),
      set: (_, name, value) => Reflect.set(whole(), name, value),
      defineProperty: (_, name, descriptor) => Reflect.defineProperty(whole(), name, descriptor),
      deleteProperty: (_, name) => Reflect.deleteProperty(whole(), name),
      preventExtensions: () => Reflect.preventExtensions(whole()),
    });
  }

  /** Made by a type of its own, because only types make fields in the API that graphql 16 and 17 share. */
  #createField(name: string): GraphQLField<unknown, unknown> {
    const maker = new GraphQLObjectType({ name: this.name, fields: { [name]: this.#source.config(name) } });
    const field = maker.getFields()[name] as GraphQLField<unknown, unknown> & { parentType?: GraphQLObjectType };
    // graphql 17's fields know their type.
    if ('parentType' in field) field.parentType = this;
    return field;
  }
}
