import type { GraphQLAbstractType, GraphQLResolveInfo, GraphQLScalarType } from 'graphql';

/**
 * Computes one field.
 *
 * `parent` and `args` are `any`: only the schema text knows their types, and a user should be able to write
 * `(book, { first }) => …` without an annotation or a generic.
 */
export type FieldResolver<TContext = any> = (parent: any, args: any, context: TContext, info: GraphQLResolveInfo) => unknown;

/** The long form of a field's resolver; `subscribe` is what makes a field of the Subscription type a stream. */
export interface FieldResolverObject<TContext = any> {
  /** Computes the value. Default: the property of the parent with the field's name. */
  readonly resolve?: FieldResolver<TContext>;
  /** Returns the async iterable of events of a subscription field. Default: none. */
  readonly subscribe?: FieldResolver<TContext>;
  /** Replaces the field's `extensions`. Default: none. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/**
 * The special resolvers `__isTypeOf`, `__resolveType` and `__resolveReference`: `info` is their third parameter, not
 * its fourth.
 *
 * TypeScript holds these keys to the index signature of {@link TypeResolvers} too, so they must fit a member of it. The
 * second signature says the same as the first. It is there because of its type parameter: TypeScript takes no parameter
 * types from two signatures that differ in theirs, so `(parent, args, context) => …` has FieldResolver's alone.
 */
export interface TypeFunction<TContext = any> {
  (value: any, context: TContext, info: GraphQLResolveInfo, abstractType: any): unknown;
  <T>(value: any, context: TContext, info: GraphQLResolveInfo & T, abstractType: any): unknown;
}

/** The resolvers of an object, interface or union type, by field name; or a scalar's functions, see {@link ScalarResolvers}. */
export interface TypeResolvers<TContext = any> {
  readonly [field: string]: FieldResolver<TContext> | FieldResolverObject<TContext> | TypeFunction<TContext> | undefined;
  /** Interfaces and unions: the name of the object type a value is of. Default: the value's `__typename`. */
  readonly __resolveType?: (value: any, context: TContext, info: GraphQLResolveInfo, abstractType: GraphQLAbstractType) => unknown;
  /** Object types: whether a value is of this type. Default: not asked. */
  readonly __isTypeOf?: (value: any, context: TContext, info: GraphQLResolveInfo) => unknown;
}

/** The values an enum has inside the server, by the name it has in the schema. */
export interface EnumValues {
  readonly [name: string]: string | number | bigint | boolean | symbol | null | readonly unknown[] | { readonly [key: string]: unknown };
}

/** How a custom scalar goes in and out, for those who write its functions without a `GraphQLScalarType`. */
// An alias, not an interface, and no member of the union in ResolverMap: so it fits TypeResolvers, and
// `parseValue: (value) => …` has one type to take its parameter's from.
export type ScalarResolvers = {
  /** Internal value → what JSON shows (graphql 17 calls it `coerceOutputValue`). Default: as it is. */
  readonly serialize?: (value: any) => unknown;
  /** Value of a variable → internal value (`coerceInputValue`). Default: as it is. */
  readonly parseValue?: (value: any) => unknown;
  /** Literal in the document → internal value. Default: `parseValue` of the plain value. */
  readonly parseLiteral?: (node: any, variables?: any) => unknown;
};

// A GraphQLScalarType by what no map of functions has. With all its members in the union, `parseValue` of a map
// would have two types to choose from, and get none.
type ScalarType = Pick<GraphQLScalarType, 'specifiedByURL' | 'toConfig'>;

/** The resolvers of a schema: for each type name its resolvers, enum values or scalar. */
export interface ResolverMap<TContext = any> {
  readonly [type: string]: TypeResolvers<TContext> | EnumValues | ScalarType;
}

/** One resolver map, or several that are merged type by type; of two resolvers for one field the later wins. */
export type Resolvers<TContext = any> =
  | ResolverMap<TContext>
  | readonly ResolverMap<TContext>[]
  // As long as TypeScript knows only the data sources of a context, it must not refuse resolvers of other files, which name
  // the part of the context that they read.
  | ({ readonly dataSources: any } extends TContext ? UncheckedMap | readonly UncheckedMap[] : never);

/**
 * Resolvers that read any context. Each function has two signatures, as {@link TypeFunction} has: so one that is written in
 * place takes its parameters from {@link ResolverMap}.
 */
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
