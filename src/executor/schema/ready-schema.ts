import { GraphQLSchema } from 'graphql';

import { describeValue } from './resolvers/merge-resolvers.ts';
import { isSchema } from './sdl/type-defs.ts';

/** Checks a schema that the user has built. Throws an Error that says what to do if it cannot be used. */
export function assertReadySchema(schema: unknown): GraphQLSchema {
  if (schema instanceof GraphQLSchema) return schema;
  if (isSchema(schema)) throw new Error(twoCopies(schema as GraphQLSchema));
  const hint =
    typeof schema === 'string' ? ' Give schema text as `typeDefs`.' : describeValue(schema) === 'a promise' ? ' Await it first.' : '';
  throw new Error(`schema takes a GraphQLSchema, got ${describeValue(schema)}.${hint}`);
}

function twoCopies(schema: GraphQLSchema): string {
  return [
    'There are two copies of graphql in this process, and the schema is not from the one that this server runs on:',
    `  the schema:  ${fileOf(schemaClassOf(schema))}`,
    `  this server: ${fileOf(GraphQLSchema)}`,
    'Keep one: `npm dedupe graphql`, or "overrides" in package.json; when bundling, bundle both or neither.',
  ].join('\n');
}

/** The class GraphQLSchema of the other copy, also for instances of a subclass. */
function schemaClassOf(schema: GraphQLSchema): unknown {
  let prototype: object | null = schema;
  while (prototype !== null && !Object.hasOwn(prototype, Symbol.toStringTag)) prototype = Object.getPrototypeOf(prototype);
  return prototype?.constructor;
}

/** The file of a class of graphql-js, from the stack of the error that its constructor throws without arguments. */
function fileOf(schemaClass: unknown): string {
  try {
    Reflect.construct(schemaClass as new () => unknown, []);
  } catch (error) {
    const file = /(?:\(|at |@)((?:file:|[A-Za-z]:\\|\/)[^()\n]*?):\d+:\d+\)?$/m.exec(error instanceof Error ? (error.stack ?? '') : '');
    // Its source maps name files that do not exist.
    if (file?.[1]) return file[1].replace(/node_modules\/src\/.*$/, 'node_modules/graphql');
  }
  return 'an unknown file';
}
