import { assertValidSchema, getIntrospectionQuery, graphqlSync, Kind, parse } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';

import { findCheck } from '../../server/index.ts';
import { isRecord } from '../../shared/index.ts';
import { createSchema } from '../../executor/schema/index.ts';
import type { Logger, SchemaHash } from '../types.ts';
import { withMapSchema } from './config.ts';
import type { Config, GraphQLSchemaModule } from './config.ts';

/** Builds the schema from `schema`, `modules` or `typeDefs`. Throws when it is invalid. */
export function makeSchema(config: Config, logger: Logger): GraphQLSchema {
  // graphql-js caches the result, which the first operation needs anyway.
  if (config.schema) assertValidSchema(config.schema);
  return withMocks(config, config.schema ?? buildSchema(config, logger));
}

/** The options of `makeExecutableSchema`. */
export interface ExecutableSchemaOptions {
  /** Text, documents, or lists of these. */
  readonly typeDefs: any;
  readonly resolvers?: any;
  // Any: other options have no effect, or are refused.
  readonly [option: string]: any;
}

/** Refused, such as schemaDirectives: they may contain access rules that would be ignored silently. */
const changesSchema = /directive|inherit|transform/i;

/** Builds a schema. Throws for options of version 2 that change it. */
export function makeExecutableSchema(options: ExecutableSchemaOptions): GraphQLSchema {
  const given = Object.keys(options).filter((name) => options[name] && changesSchema.test(name));
  if (given.length > 0) throw new Error(`makeExecutableSchema does not support ${given.join(', ')}. ${withMapSchema}`);
  return makeSchema({ typeDefs: options.typeDefs, resolvers: options.resolvers }, console);
}

function buildSchema({ modules, typeDefs, resolvers, nodeEnv }: Config, logger: Logger): GraphQLSchema {
  const isChecked = nodeEnv === 'development' || nodeEnv === 'test';
  const settings = { checkWhole: isChecked && findCheck, warn: (message: string) => logger.warn(message) };
  if (modules !== undefined) return createSchema(fromModules(modules), settings);
  if (!typeDefs) throw new Error('Apollo Server requires either an existing schema, modules or typeDefs');
  return createSchema({ typeDefs: sourcesOf(typeDefs), ...(resolvers !== undefined && { resolvers }) }, settings);
}

/** Returns typeDefs as a flat list. Lists may contain functions that return more typeDefs. */
function sourcesOf(typeDefs: unknown): (string | DocumentNode)[] {
  if (Array.isArray(typeDefs)) return typeDefs.flatMap((one) => sourcesOf(one));
  if (typeof typeDefs === 'function') return sourcesOf((typeDefs as () => unknown)());
  return [typeDefs as string | DocumentNode];
}

/** Modules may extend root types that no module defines. */
function fromModules(modules: readonly GraphQLSchemaModule[]): { typeDefs: (string | DocumentNode)[]; resolvers: Record<string, any>[] } {
  const parts = modules.map((module) => ('kind' in module ? { typeDefs: module as unknown as DocumentNode } : module));
  const documents = parts.map(({ typeDefs }) => (typeof typeDefs === 'string' ? parse(typeDefs) : typeDefs));
  const has = (kind: Kind, root: string): boolean =>
    documents.some(({ definitions }) => definitions.some((one) => one.kind === kind && 'name' in one && one.name?.value === root));
  const roots = ['Query', 'Mutation', 'Subscription'].filter(
    (root) => has(Kind.OBJECT_TYPE_EXTENSION, root) && !has(Kind.OBJECT_TYPE_DEFINITION, root),
  );
  const resolvers = parts.flatMap((part) => part.resolvers ?? []);
  return { typeDefs: [...documents, ...roots.map((root) => `type ${root}`)], resolvers };
}

function withMocks({ mocks, mockEntireSchema }: Config, schema: GraphQLSchema): GraphQLSchema {
  if (mocks === false || (!mocks && mockEntireSchema === undefined)) return schema;
  const given = mocks === true || mocks === undefined ? {} : (mocks as object);
  return loadMockTool().addMocksToSchema({ schema, mocks: given, preserveResolvers: mockEntireSchema === false });
}

/** Version 3's hash of a schema: of its introspection result, with sorted keys. */
export function hashSchema(schema: GraphQLSchema): SchemaHash {
  const { data } = graphqlSync({ schema, source: getIntrospectionQuery() });
  const text = JSON.stringify(data?.['__schema'], inOrder);
  return process.getBuiltinModule('node:crypto').createHash('sha512').update(text).digest('hex') as SchemaHash;
}

function inOrder(_: string, value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
}

/** Looks beside the program first: in a monorepo, the program may have been started from a folder with another version. */
function loadMockTool(): { addMocksToSchema(options: object): GraphQLSchema } {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    const path = createRequire(`${process.cwd()}/`).resolve('@graphql-tools/mock', { paths: [process.argv[1] ?? '', process.cwd()] });
    return createRequire(path)(path) as ReturnType<typeof loadMockTool>;
  } catch (cause) {
    throw new Error('The options mocks and mockEntireSchema need a package: npm install @graphql-tools/mock', { cause });
  }
}
