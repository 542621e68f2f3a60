import { GraphQLObjectType } from 'graphql';
import type { GraphQLField, GraphQLFieldConfig, GraphQLFieldMap, GraphQLObjectTypeConfig } from 'graphql';

import { lazyRecord } from './lazy-property.ts';

/** Creates the fields of a type one at a time. */
export interface FieldSource {
  /** The names as keys, in the order of the schema. */
  readonly names: () => ReadonlyMap<string, unknown>;
  readonly config: (name: string) => GraphQLFieldConfig<unknown, unknown>;
}

/**
 * An object type whose fields are parsed one by one, when first used. In a schema of 3,000 types, Query has 1,500 fields; parsing
 * them all would be most of the cost of a cold start.
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

  #lazyFields(): GraphQLFieldMap<unknown, unknown> {
    const names = this.#source.names();
    const fields: GraphQLFieldMap<unknown, unknown> = Object.create(null);
    let isWhole = false;
    const find = (name: string): GraphQLField<unknown, unknown> | undefined =>
      fields[name] ?? (isWhole || !names.has(name) ? undefined : (fields[name] = this.#createField(name)));
    const whole = (): GraphQLFieldMap<unknown, unknown> => {
      if (isWhole) return fields;
      const made = Array.from(names.keys(), (name) => [name, find(name) as GraphQLField<unknown, unknown>] as const);
      isWhole = true;
      // Puts the fields in the order of the schema.
      for (const [name] of made) delete fields[name];
      for (const [name, field] of made) fields[name] = field;
      return fields;
    };
    return lazyRecord(fields, find, whole);
  }

  /** Creates fields through another type, because in the API that graphql 16 and 17 share only types create fields. */
  #createField(name: string): GraphQLField<unknown, unknown> {
    const maker = new GraphQLObjectType({ name: this.name, fields: { [name]: this.#source.config(name) } });
    const field = maker.getFields()[name] as GraphQLField<unknown, unknown> & { parentType?: GraphQLObjectType };
    // Only graphql 17 has this property.
    if ('parentType' in field) field.parentType = this;
    return field;
  }
}
