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

type Field = GraphQLField<unknown, unknown>;

/** The arguments of a resolver. */
export interface ResolverCall {
  readonly source: any;
  readonly args: any;
  readonly context: any;
  readonly info: GraphQLResolveInfo;
}

/** Called when the value of a field has come, or its error. */
export type FieldEnd = (error: Error | null, result?: unknown) => void;

/** The hooks around the resolvers of one operation. */
export interface FieldHooks {
  /** Called before each field; returns the callback for its value. Undefined: fields are not watched. */
  readonly willResolveField: ((params: ResolverCall) => FieldEnd | void) | undefined;
  /** Resolves fields without a resolver. Undefined: graphql-js's own. */
  readonly fieldResolver: GraphQLFieldResolver<any, any> | undefined;
}

/** Hooks by the context value of their operation: every operation has one of its own. */
const hooksOf = new WeakMap<object, FieldHooks>();
const wrapped = new WeakSet<Field>();

/** Sets the hooks of an operation, by the context value that its resolvers get. */
export function watchFields(contextValue: object, hooks: FieldHooks): void {
  hooksOf.set(contextValue, hooks);
}

/**
 * Puts the hooks around the fields that a document selects, once for each field of the schema. Only those: to wrap the
 * whole schema would build all of it in a cold start.
 */
export function wrapSelectedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  isWatched: (field: Field, isRoot: boolean) => boolean,
): void {
  visitSelectedFields(schema, document, (field, isRoot) => {
    if (!isWatched(field, isRoot) || wrapped.has(field)) return;
    wrapped.add(field);
    field.resolve = resolverAround(field.resolve);
  });
}

/** Calls back for the fields that a document selects; of an abstract type those of all types that it may be. */
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

/** The field of an object type; of an abstract one those of all types that it may be. */
function fieldsNamed(schema: GraphQLSchema, type: GraphQLCompositeType, name: string): Field[] {
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  return types.flatMap((one) => (isObjectType(one) ? (one.getFields()[name] ?? []) : []));
}

function resolverAround(original: GraphQLFieldResolver<any, any> | undefined): GraphQLFieldResolver<any, any> {
  return (source, args, context, info) => {
    const hooks = typeof context === 'object' && context !== null ? hooksOf.get(context as object) : undefined;
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

/** Calls back when a value, a promise, or a list with promises in it has come. */
function whenFinished(value: unknown, ended: FieldEnd): void {
  const waiting = isPromise(value) ? value : Array.isArray(value) && value.some(isPromise) ? Promise.all(value) : undefined;
  if (waiting === undefined) ended(null, value);
  else
    waiting.then(
      (result) => ended(null, result),
      (error: unknown) => ended(error as Error),
    );
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
