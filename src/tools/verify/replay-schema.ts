import { GraphQLInterfaceType, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLUnionType } from 'graphql';
import { isInterfaceType, isListType, isNonNullType, isObjectType, isUnionType } from 'graphql';
import type {
  GraphQLFieldConfigMap,
  GraphQLIsTypeOfFn,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLResolveInfo,
  GraphQLTypeResolver,
} from 'graphql';

import type { Recording } from './recording.ts';

/** The context value of an execution that repeats another one. */
export interface Replay {
  readonly recording: Recording;
  /** The context value of the execution that was recorded, for `resolveType` and `isTypeOf`. */
  readonly contextValue: unknown;
}

/**
 * A copy of a schema whose resolvers return what was recorded. Scalars, enums, input types and directives are those of the schema.
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
        { ...field, type: copyOutput(field.type), resolve: (source, _args, { recording }, info) => recording.replay(info, source) },
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
        isTypeOf: typeConfig.isTypeOf && withContext(typeConfig.isTypeOf, schema),
      });
    }
    if (isInterfaceType(type)) {
      const typeConfig = type.toConfig();
      return new GraphQLInterfaceType({
        ...typeConfig,
        interfaces: () => typeConfig.interfaces.map((one) => copyOf(one)),
        fields: () => copyFields(typeConfig.fields) as never,
        resolveType: resolveTypeOf(typeConfig.resolveType, type, schema),
      });
    }
    if (isUnionType(type)) {
      const typeConfig = type.toConfig();
      return new GraphQLUnionType({
        ...typeConfig,
        types: () => typeConfig.types.map((one) => copyOf(one)),
        resolveType: resolveTypeOf(typeConfig.resolveType, type, schema),
      });
    }
    return type;
  }
}

function withContext(isTypeOf: GraphQLIsTypeOfFn<unknown, unknown>, schema: GraphQLSchema): GraphQLIsTypeOfFn<unknown, Replay> {
  return (value, { contextValue }, info) => isTypeOf(value, contextValue, { ...info, schema });
}

function resolveTypeOf(
  resolveType: GraphQLTypeResolver<any, any> | null | undefined,
  type: GraphQLInterfaceType | GraphQLUnionType,
  schema: GraphQLSchema,
): GraphQLTypeResolver<any, any> | undefined {
  if (resolveType === null || resolveType === undefined) return undefined;
  return (value: unknown, { contextValue }: Replay, info: GraphQLResolveInfo) =>
    resolveType(value, contextValue, { ...info, schema }, type);
}
