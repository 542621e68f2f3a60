import { GraphQLInterfaceType, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLUnionType } from 'graphql';
import { isInterfaceType, isListType, isNonNullType, isObjectType, isUnionType } from 'graphql';
import type { GraphQLAbstractType, GraphQLFieldConfigMap, GraphQLNamedType, GraphQLOutputType, GraphQLTypeResolver } from 'graphql';

import { isObjectLike } from '../../shared/index.ts';
import type { Replay } from './replay.ts';

/**
 * A copy of a schema whose functions return what was recorded: a {@link Replay} is the context value. Scalars, enums, input types and
 * directives are those of the schema.
 * `nullable`: without non-null types in results, which shows every error (graphql 17 has a directive for it).
 */
export function copyForReplay(schema: GraphQLSchema, { nullable = false }: { readonly nullable?: boolean } = {}): GraphQLSchema {
  const copies = new Map<string, GraphQLNamedType>();
  for (const type of Object.values(schema.getTypeMap())) if (!type.name.startsWith('__')) copies.set(type.name, copyType(type));
  const { types: _, ...config } = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    query: config.query && copyOf(config.query),
    mutation: config.mutation && copyOf(config.mutation),
    subscription: config.subscription && copyOf(config.subscription),
    // In the order of the schema, which introspection shows.
    types: [...copies.values()],
    assumeValid: true,
  });

  function copyOf<T extends GraphQLNamedType>(type: T): T {
    return (copies.get(type.name) ?? type) as T;
  }

  function copyOutput(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) {
      const inner = copyOutput(type.ofType as GraphQLOutputType);
      return nullable ? inner : (new GraphQLNonNull(inner as never) as GraphQLOutputType);
    }
    return isListType(type) ? new GraphQLList(copyOutput(type.ofType as GraphQLOutputType)) : copyOf(type);
  }

  function copyFields(fields: GraphQLFieldConfigMap<unknown, unknown>): GraphQLFieldConfigMap<unknown, Replay> {
    return Object.fromEntries(
      Object.entries(fields).map(([name, { subscribe: __, ...field }]) => [
        name,
        { ...field, type: copyOutput(field.type), resolve: (source, args, replay, info) => replay.field(info, source, args) },
      ]),
    ) as GraphQLFieldConfigMap<unknown, Replay>;
  }

  function copyType(type: GraphQLNamedType): GraphQLNamedType {
    if (isObjectType(type)) {
      const typeConfig = type.toConfig();
      return new GraphQLObjectType<unknown, Replay>({
        ...typeConfig,
        interfaces: () => typeConfig.interfaces.map((one) => copyOf(one)),
        fields: () => copyFields(typeConfig.fields),
        isTypeOf: typeConfig.isTypeOf && ((value, replay, info) => replay.type(info, type, value) as boolean),
      });
    }
    if (isInterfaceType(type)) {
      const typeConfig = type.toConfig();
      return new GraphQLInterfaceType({
        ...typeConfig,
        interfaces: () => typeConfig.interfaces.map((one) => copyOf(one)),
        fields: () => copyFields(typeConfig.fields) as never,
        resolveType: resolveTypeOf(type),
      });
    }
    if (isUnionType(type)) {
      const typeConfig = type.toConfig();
      return new GraphQLUnionType({
        ...typeConfig,
        types: () => typeConfig.types.map((one) => copyOf(one)),
        resolveType: resolveTypeOf(type),
      });
    }
    return type;
  }
}

/** graphql-js's default is replayed, too, but for objects that name their type, because it calls no function for them. */
function resolveTypeOf(type: GraphQLAbstractType): GraphQLTypeResolver<unknown, Replay> {
  return (value, replay, info) => {
    const hasDefault = type.resolveType === undefined || type.resolveType === null;
    const name = hasDefault && isObjectLike(value) && (value as { __typename?: unknown }).__typename;
    return typeof name === 'string' ? name : (replay.type(info, type, value) as string);
  };
}
