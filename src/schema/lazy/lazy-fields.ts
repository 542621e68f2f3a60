import { GraphQLObjectType } from 'graphql';
import type { GraphQLField, GraphQLFieldConfig, GraphQLFieldMap, GraphQLObjectTypeConfig } from 'graphql';

import { defineLazy } from './lazy-property.ts';

/** Makes the fields of a type one at a time. */
export interface FieldSource {
  /** In the order of the schema. */
  readonly names: () => Iterable<string>;
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

  /** Every name is there from the start, in order, so that whoever enumerates the fields sees what an ordinary type shows. */
  #lazyFields(): GraphQLFieldMap<unknown, unknown> {
    const fields: GraphQLFieldMap<unknown, unknown> = Object.create(null);
    for (const name of this.#source.names()) defineLazy(fields, name, () => this.#createField(name));
    return fields;
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
