import { execute, GraphQLList, isListType, isNonNullType, isObjectType, Kind, versionInfo } from 'graphql';
import type { DirectiveNode, ExecutionArgs, ExecutionResult, GraphQLField, GraphQLOutputType, GraphQLSchema } from 'graphql';

import { valueAt } from '../../../src/tools/verify/compare-results.ts';

/** Executes with graphql-js so that each error makes only its own position null. graphql 16 has no directive for this. */
export function executeWithoutPropagation(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
  if (versionInfo.major < 17) return withNullableFields(args.schema, () => execute(args));
  const directive: DirectiveNode = {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: 'experimental_disableErrorPropagation' },
  };
  const definitions = args.document.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? { ...definition, directives: [...(definition.directives ?? []), directive] }
      : definition,
  );
  return execute({ ...args, document: { ...args.document, definitions } });
}

/**
 * Adds the errors that only non-null types cause, if they are in `actual`. The result of
 * {@link executeWithoutPropagation} has them only with graphql 17.
 */
export function withNullErrors(unpropagated: ExecutionResult, actual: ExecutionResult): ExecutionResult {
  if (versionInfo.major >= 17) return unpropagated;
  const errors = unpropagated.errors ?? [];
  const paths = new Set(errors.map(({ path }) => String(path)));
  const nullErrors = (actual.errors ?? []).filter(
    ({ message, path = [] }) =>
      message.startsWith('Cannot return null for non-nullable field') &&
      valueAt(unpropagated.data, path) === null &&
      !paths.has(String(path)),
  );
  return { ...unpropagated, errors: [...errors, ...nullErrors] };
}

/** The declared types of fields, while {@link executeWithoutPropagation} makes them nullable. */
const declaredTypes = new Map<GraphQLField<unknown, unknown>, GraphQLOutputType>();

/** The type that the schema declares for a field. */
export function declaredType(field: GraphQLField<unknown, unknown>): GraphQLOutputType {
  return declaredTypes.get(field) ?? field.type;
}

function withNullableFields<T>(schema: GraphQLSchema, run: () => T | Promise<T>): T | Promise<T> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      declaredTypes.set(field, field.type);
      field.type = nullable(field.type);
    }
  }
  const restore = (): void => {
    for (const [field, type] of declaredTypes) field.type = type;
    declaredTypes.clear();
  };
  const result = run();
  if (result instanceof Promise) return result.finally(restore);
  restore();
  return result;
}

function nullable(type: GraphQLOutputType): GraphQLOutputType {
  if (isNonNullType(type)) return nullable(type.ofType as GraphQLOutputType);
  return isListType(type) ? new GraphQLList(nullable(type.ofType as GraphQLOutputType)) : type;
}
