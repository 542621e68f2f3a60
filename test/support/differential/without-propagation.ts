import { execute, GraphQLList, isListType, isNonNullType, isObjectType, Kind, versionInfo } from 'graphql';
import type { ExecutionArgs, ExecutionResult, GraphQLField, GraphQLOutputType, GraphQLSchema } from 'graphql';

import { withPropagation } from '../../../src/executor/index.ts';

/** Executes with graphql-js so that each error makes only its own position null. graphql 16 has no directive for this. */
export function executeWithoutPropagation(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
  if (versionInfo.major < 17) return withNullableFields(args.schema, () => execute(args));
  const operations = args.document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const document = operations.reduce((changed, operation) => withPropagation(changed, operation, false), args.document);
  return execute({ ...args, document });
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
