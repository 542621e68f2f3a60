import type { GraphQLAbstractType, GraphQLResolveInfo, GraphQLScalarType } from 'graphql';

import type { ResolverOfBatch } from '../../batch-mark.ts';

/** Resolves a field. `parent` and `args` are `any`, so that `(book, { first }) => …` needs no annotation. */
export interface FieldResolver<TContext = any> {
  (parent: any, args: any, context: TContext, info: GraphQLResolveInfo): unknown;
}

/** The long form of a field's resolver, for subscriptions and extensions. */
export interface FieldResolverObject<TContext = any> {
  /** Computes the value. Default: the property of the parent with the field's name. */
  readonly resolve?: FieldResolver<TContext>;
  /** Returns the async iterable of events of a subscription field. Default: none. */
  readonly subscribe?: FieldResolver<TContext>;
  /** Replaces the field's `extensions`. Default: none. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/**
 * The special resolvers `__isTypeOf`, `__resolveType` and `__resolveReference`, with `info` as their third parameter.
 *
 * They must fit the index signature of {@link TypeResolvers}. The second signature differs only by its type parameter, so that
 * TypeScript infers no parameters from this type: `(parent, args, context) => …` gets those of FieldResolver.
 */
export interface TypeFunction<TContext = any> {
  (value: any, context: TContext, info: GraphQLResolveInfo, abstractType: any): unknown;
  <T>(value: any, context: TContext, info: GraphQLResolveInfo & T, abstractType: any): unknown;
}

/** The resolvers of an object, interface or union type, by field name; or a scalar's functions, see {@link ScalarResolvers}. */
export interface TypeResolvers<TContext = any> {
  readonly [field: string]:
    | FieldResolver<TContext>
    | ResolverOfBatch<TContext>
    | FieldResolverObject<TContext>
    | TypeFunction<TContext>
    | undefined;
  /** Interfaces and unions: the name of a value's object type. Default: the value's `__typename`. */
  readonly __resolveType?: (value: any, context: TContext, info: GraphQLResolveInfo, abstractType: GraphQLAbstractType) => unknown;
  /** Object types: whether a value has this type. Default: not checked. */
  readonly __isTypeOf?: (value: any, context: TContext, info: GraphQLResolveInfo) => unknown;
  /** Entities of a federation subgraph: the entity of a reference, which has its key and `__typename`. Only with `subgraph()`. Default: the reference itself. */
  readonly __resolveReference?: (reference: any, context: TContext, info: GraphQLResolveInfo) => unknown;
  /**
   * Resolves all references of one `_entities` field at once: one value for each, in the order of the references. An Error fails its
   * reference alone.
   */
  readonly __resolveReferences?: (references: readonly any[], context: TContext, info: GraphQLResolveInfo) => unknown;
}

/** The internal values of an enum, by their names in the schema. */
export interface EnumValues {
  readonly [name: string]: string | number | bigint | boolean | symbol | null | readonly unknown[] | { readonly [key: string]: unknown };
}

/** The functions of a custom scalar without a `GraphQLScalarType`. */
// An alias, not an interface, and not in the union of ResolverMap: so it fits TypeResolvers, and the parameter of
// `parseValue: (value) => …` is inferred from one type.
export type ScalarResolvers = {
  /** Internal value → JSON value (`coerceOutputValue` in graphql 17). Default: unchanged. */
  readonly serialize?: (value: any) => unknown;
  /** Value of a variable → internal value (`coerceInputValue`). Default: unchanged. */
  readonly parseValue?: (value: any) => unknown;
  /** Literal in the document → internal value. Default: `parseValue` of the plain value. */
  readonly parseLiteral?: (node: any, variables?: any) => unknown;
};

// The members of a GraphQLScalarType that no map of functions has. With all members, the parameter of `parseValue` could not be
// inferred.
type ScalarType = Pick<GraphQLScalarType, 'specifiedByURL' | 'toConfig'>;

/** The resolvers of a schema: for each type name its resolvers, enum values or scalar. */
export interface ResolverMap<TContext = any> {
  readonly [type: string]: TypeResolvers<TContext> | EnumValues | ScalarType;
}

/** One resolver map, or several that are merged type by type; of two resolvers for one field the later wins. */
export type Resolvers<TContext = any> =
  | ResolverMap<TContext>
  | readonly ResolverMap<TContext>[]
  // While TypeScript has only inferred the data sources of a context, it must accept resolvers of other files with annotated contexts.
  | ({ readonly dataSources: any } extends TContext ? UncheckedMap | readonly UncheckedMap[] : never);

/** Resolvers with any context. Functions have two signatures for the same reason as {@link TypeFunction}. */
interface UncheckedMap {
  readonly [type: string]: UncheckedType | EnumValues | ScalarType;
}

interface UncheckedType {
  readonly [field: string]:
    | UncheckedFunction
    | { readonly resolve?: UncheckedFunction; readonly subscribe?: UncheckedFunction }
    | undefined;
}

interface UncheckedFunction {
  (parent: any, args: any, context: any, info: any): unknown;
  <T>(parent: any, args: any, context: any, info: T): unknown;
}
