import { GraphQLObjectType } from 'graphql';
import type { GraphQLField, GraphQLFieldConfig, GraphQLFieldMap, GraphQLObjectTypeConfig } from 'graphql';

import { lazyRecord } from './lazy-property.ts';

type Configs = Record<string, GraphQLFieldConfig<unknown, unknown>>;

/** Creates the fields of a type one at a time, or all at once. */
export interface FieldSource {
  /** The names as keys, in the order of the schema. */
  readonly names: () => ReadonlyMap<string, unknown>;
  readonly config: (name: string) => GraphQLFieldConfig<unknown, unknown>;
  /** The same of all fields, in a third of the time that they take one by one. */
  readonly configs: () => Configs;
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
      fields[name] ??
      (isWhole || !names.has(name) ? undefined : (fields[name] = this.#create({ [name]: this.#source.config(name) })[name]!));
    const whole = (): GraphQLFieldMap<unknown, unknown> => {
      if (isWhole) return fields;
      const made = this.#create(this.#source.configs());
      isWhole = true;
      // Puts the fields in the order of the schema, and keeps those that exist.
      for (const name of names.keys()) {
        const field = fields[name] ?? made[name]!;
        delete fields[name];
        fields[name] = field;
      }
      this.#fields = fields;
      return fields;
    };
    return lazyRecord(fields, find, whole);
  }

  /** Creates fields through another type, because in the API that graphql 16 and 17 share only types create fields. */
  #create(configs: Configs): GraphQLFieldMap<unknown, unknown> {
    const fields = new GraphQLObjectType({ name: this.name, fields: configs }).getFields();
    // Only graphql 17 has this property.
    for (const field of Object.values(fields)) if ('parentType' in field) (field as { parentType: GraphQLObjectType }).parentType = this;
    return fields;
  }
}
