import { defaultFieldResolver, getNamedType, isAbstractType, isCompositeType, isObjectType, Kind } from 'graphql';
import type {
  DocumentNode,
  GraphQLCompositeType,
  GraphQLField,
  GraphQLFieldResolver,
  GraphQLNamedType,
  GraphQLResolveInfo,
  GraphQLSchema,
  SelectionSetNode,
} from 'graphql';
import { isPromiseLike, wrapResolver } from '../../shared/index.ts';
import { needsOnlyContext, resolverCall, seesInfo } from './visible-arguments.ts';
import type { Resolver } from './visible-arguments.ts';

type Field = GraphQLField<unknown, unknown>;

/** The arguments of a resolver. */
export interface ResolverCall {
  readonly source: any;
  readonly args: any;
  readonly context: any;
  readonly info: GraphQLResolveInfo;
}

/** Called with the value of a field, or its error. */
export type FieldEnd = (error: Error | null, result?: unknown) => void;

/** The hooks around the resolvers of one operation. */
export interface FieldHooks {
  /** Called before each field; may return a callback for its value. */
  readonly willResolveField: ((params: ResolverCall) => FieldEnd | void) | undefined;
  /** Called before each field that is watched by its `calls` alone. */
  readonly willCallResolver?: ((field: Field) => void) | undefined;
  /** Resolves fields without a resolver. Default: graphql-js's. */
  readonly fieldResolver: GraphQLFieldResolver<any, any> | undefined;
}

/** Hooks by the context value of their operation. */
const hooksOf = new WeakMap<object, FieldHooks>();
const wrapped = { calls: new WeakSet<Field>(), everything: new WeakSet<Field>() };

/** `calls`: only that its resolver is called. `everything`: with arguments and result. Undefined: not watched. */
export type FieldWatch = 'calls' | 'everything' | undefined;

/** Sets the hooks of the operation with this context value. */
export function watchFields(contextValue: object, hooks: FieldHooks): void {
  hooksOf.set(contextValue, hooks);
}

/** Wraps the selected fields of a document, each once. Wrapping all fields would build the whole schema in a cold start. */
export function wrapSelectedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  watchOf: (field: Field, isRoot: boolean) => FieldWatch,
): void {
  visitSelectedFields(schema, document, (field, isRoot) => {
    const watch = watchOf(field, isRoot);
    if (watch === undefined || wrapped.everything.has(field) || wrapped[watch].has(field)) return;
    wrapped[watch].add(field);
    field.resolve = watch === 'calls' ? wrapResolver(field.resolve as Resolver, noting(field)) : watched(field.resolve);
  });
}

/** True when a field has a resolver that cannot see `info`. */
export function isWithoutInfo({ resolve }: Field): boolean {
  return typeof resolve === 'function' && !seesInfo(resolve);
}

/** Visits the fields that a document selects, those of an abstract type in all its possible types. */
export function visitSelectedFields(schema: GraphQLSchema, document: DocumentNode, wrap: (field: Field, isRoot: boolean) => void): void {
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  const visit = (type: GraphQLNamedType | null | undefined, selections: SelectionSetNode): void => {
    if (!isCompositeType(type)) return;
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) continue;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        visit(selection.typeCondition === undefined ? type : schema.getType(selection.typeCondition.name.value), selection.selectionSet);
        continue;
      }
      const fields = fieldsNamed(schema, type, selection.name.value);
      for (const field of fields) wrap(field, roots.has(type));
      const [first] = fields;
      if (selection.selectionSet !== undefined && first !== undefined) {
        for (const child of new Set(fields.map((field) => getNamedType(field.type)))) visit(child, selection.selectionSet);
      }
    }
  };
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) visit(schema.getRootType(definition.operation), definition.selectionSet);
    if (definition.kind === Kind.FRAGMENT_DEFINITION) visit(schema.getType(definition.typeCondition.name.value), definition.selectionSet);
  }
}

function fieldsNamed(schema: GraphQLSchema, type: GraphQLCompositeType, name: string): Field[] {
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  return types.flatMap((one) => (isObjectType(one) ? (one.getFields()[name] ?? []) : []));
}

/** The executor creates neither arguments nor `info` for it unless the resolver sees them: that would take longer than most resolvers. */
function noting(field: Field): (resolve: Resolver) => Resolver {
  return (resolve) => {
    const { call } = resolverCall(resolve);
    const around: Resolver = (source, args, context) => {
      hooksFor(context)?.willCallResolver?.(field);
      return call(source, args, context);
    };
    needsOnlyContext(around, resolve);
    return around;
  };
}

function hooksFor(context: unknown): FieldHooks | undefined {
  return typeof context === 'object' && context !== null ? hooksOf.get(context) : undefined;
}

function watched(original: GraphQLFieldResolver<any, any> | undefined): GraphQLFieldResolver<any, any> {
  return original === undefined ? watching(original) : wrapResolver(original, watching);
}

function watching(original: GraphQLFieldResolver<any, any> | undefined): GraphQLFieldResolver<any, any> {
  return (source, args, context, info) => {
    const hooks = hooksFor(context);
    const resolve = original ?? hooks?.fieldResolver ?? defaultFieldResolver;
    const ended = hooks?.willResolveField?.({ source, args, context, info });
    if (ended === undefined) return resolve(source, args, context, info);
    try {
      const result = resolve(source, args, context, info);
      whenFinished(result, ended);
      return result;
    } catch (error) {
      ended(error as Error);
      throw error;
    }
  };
}

/** Calls back with a value, the value of a promise, or the values of a list of promises. */
function whenFinished(value: unknown, ended: FieldEnd): void {
  const waiting = isPromiseLike(value) ? value : Array.isArray(value) && value.some(isPromiseLike) ? Promise.all(value) : undefined;
  if (waiting === undefined) ended(null, value);
  else
    waiting.then(
      (result) => ended(null, result),
      (error: unknown) => ended(error as Error),
    );
}
