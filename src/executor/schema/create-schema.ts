import { assertValidSchema, GraphQLSchema } from 'graphql';
import type { DocumentNode, GraphQLDirective } from 'graphql';

import { messageOf } from '../../shared/index.ts';
import { batchOf } from '../batch-mark.ts';
import { checkResolvers, checkTypeNames } from './resolvers/check-resolvers.ts';
import { createSchemaIndex } from './sdl/create-index.ts';
import { LazySchema } from './lazy/lazy-schema.ts';
import { MergedResolvers } from './resolvers/merge-resolvers.ts';
import { assertReadySchema } from './ready-schema.ts';
import type { Resolvers } from './resolvers/resolver-map.ts';
import type { SchemaIndex } from './sdl/schema-index.ts';
import { sourcesOf } from './sdl/type-defs.ts';
import type { TypeDefs } from './sdl/type-defs.ts';

/** Either `typeDefs` with `resolvers`, or a `schema`. */
export interface SchemaInput<TContext = any> {
  readonly typeDefs?: TypeDefs | undefined;
  /** The resolvers of `typeDefs`: one map, or several that are merged. Default: every field is a property. */
  readonly resolvers?: Resolvers<TContext> | undefined;
  /** A schema built with graphql-js's classes, in place of `typeDefs`. */
  readonly schema?: GraphQLSchema | undefined;
}

/** Checks a schema with another tool. Throws an Error with all problems. */
export type CheckWhole = (
  /** The parts of a schema, or one that the user has built. */
  whole:
    | { readonly typeDefs: readonly (string | DocumentNode)[]; readonly resolvers: MergedResolvers }
    | { readonly schema: GraphQLSchema },
  settings: {
    /** True for a batched resolver of this copy of the package. */
    readonly isBatched: (resolve: never) => boolean;
    readonly warn?: ((message: string) => void) | undefined;
  },
) => void;

/** Loads the checker of whole schemas, or says why it cannot be loaded. */
export type FindCheck = () => CheckWhole | { readonly missing: string | undefined };

/** The settings of {@link createSchema}. */
export interface SchemaSettings {
  /** Build and check the whole schema first, with graphql-js and this checker. False: production's checks only. */
  readonly checkWhole: FindCheck | false;
  /** Called with messages about likely mistakes, and when `@graphql-tools/schema` cannot be loaded. */
  readonly warn?: (message: string) => void;
  /** Directives that are added unless the schema defines them. Default: those of the specification. */
  readonly directives?: readonly GraphQLDirective[];
}

/** Creates the executable schema. Throws an Error that says what to write instead when the input is invalid. */
export function createSchema(input: SchemaInput, settings: SchemaSettings): GraphQLSchema {
  assertOneSource(input);
  if (input.schema !== undefined) return readySchema(input.schema, settings);
  const typeDefs = sourcesOf(input.typeDefs);
  const resolvers = new MergedResolvers(input.resolvers);
  const index = createSchemaIndex(typeDefs);
  if (settings.checkWhole === false) checkTypeNames(resolvers, index);
  else checkWhole({ typeDefs, index, resolvers, findCheck: settings.checkWhole }, settings);
  return new LazySchema(index, resolvers, settings.directives);
}

function assertOneSource({ typeDefs, resolvers, schema }: SchemaInput): void {
  if (schema === undefined) {
    if (typeDefs === undefined) throw new Error('Set `typeDefs` (schema text) with `resolvers`, or `schema` (a GraphQLSchema).');
    return;
  }
  if (typeDefs !== undefined) throw new Error('Set `typeDefs` or `schema`, not both.');
  if (resolvers !== undefined)
    throw new Error(
      '`resolvers` belong to `typeDefs`: a `schema` contains its resolvers. Set `typeDefs` instead of `schema`, or remove `resolvers`.',
    );
}

function readySchema(input: unknown, { checkWhole: whole, directives = [], warn }: SchemaSettings): GraphQLSchema {
  const schema = withDirectives(assertReadySchema(input), directives);
  if (whole === false) return schema;
  assertValidSchema(schema);
  const check = whole();
  if (typeof check === 'function') check({ schema }, { isBatched, warn });
  return schema;
}

/** Returns the schema itself if it has all directives, else a copy with the same types. */
function withDirectives(schema: GraphQLSchema, directives: readonly GraphQLDirective[]): GraphQLSchema {
  const missing = directives.filter(({ name }) => !schema.getDirective(name));
  return missing.length === 0 ? schema : new GraphQLSchema({ ...schema.toConfig(), directives: [...schema.getDirectives(), ...missing] });
}

/** A view of a schema that has these directives, too, unless it defines others of their names. Creates no type, unlike a copy of the schema. */
export function viewWithDirectives(schema: GraphQLSchema, directives: readonly GraphQLDirective[]): GraphQLSchema {
  const added = directives.filter(({ name }) => !schema.getDirective(name));
  if (added.length === 0) return schema;
  const all = [...schema.getDirectives(), ...added];
  const replaced: Readonly<Record<PropertyKey, unknown>> = {
    getDirectives: () => all,
    getDirective: (wanted: string) => all.find(({ name }) => name === wanted),
  };
  return new Proxy(schema, {
    get(target, name) {
      const value: unknown = replaced[name] ?? Reflect.get(target, name);
      // Private members are not reached through a proxy.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

interface Prepared {
  readonly typeDefs: readonly (string | DocumentNode)[];
  readonly index: SchemaIndex;
  readonly resolvers: MergedResolvers;
  readonly findCheck: FindCheck;
}

/** Builds the whole schema with the lazy schema's code and validates it with graphql-js and `@graphql-tools/schema`. The result is discarded. */
function checkWhole({ typeDefs, index, resolvers, findCheck }: Prepared, { warn, directives }: SchemaSettings): void {
  checkResolvers(resolvers, index);
  assertValidSchema(new GraphQLSchema(new LazySchema(index, resolvers, directives).toConfig()));
  const check = findCheck();
  if (typeof check !== 'function') {
    const { missing } = check;
    if (missing !== undefined)
      warn?.(`The schema was checked by graphql-js, but not by @graphql-tools/schema, which could not be loaded: ${missing}.`);
    return;
  }
  try {
    check({ typeDefs, resolvers }, { isBatched, warn });
  } catch (error) {
    throw new Error(`typeDefs and resolvers do not make a valid schema. ${messageOf(error)}`, { cause: error });
  }
}

const isBatched = (resolve: never): boolean => batchOf(resolve) !== undefined;
