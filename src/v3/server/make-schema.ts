import { assertValidSchema, getIntrospectionQuery, graphqlSync, Kind, parse } from 'graphql';
import type { DefinitionNode, DocumentNode, GraphQLSchema } from 'graphql';

import { messageOf } from '../../shared/index.ts';
import { findCheck } from '../../server/index.ts';
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

/** Refused, because they may contain access rules that would be ignored silently. */
const refused = [
  'schemaDirectives',
  'directiveResolvers',
  'inheritResolversFromInterfaces',
  'schemaTransforms',
  'attachDirectiveResolvers',
];

/** Builds a schema. Throws for options of version 2 that change it. */
export function makeExecutableSchema(options: ExecutableSchemaOptions): GraphQLSchema {
  const given = refused.filter((name) => options[name]);
  if (given.length > 0) throw new Error(`makeExecutableSchema does not support ${given.join(', ')}. ${withMapSchema}`);
  const { typeDefs, resolvers } = options;
  return makeSchema({ typeDefs, resolvers }, console);
}

function buildSchema({ modules, typeDefs, resolvers, nodeEnv }: Config, logger: Logger): GraphQLSchema {
  const isChecked = nodeEnv === 'development' || nodeEnv === 'test';
  const settings = { checkWhole: isChecked && findCheck, warn: (message: string) => logger.warn(message) };
  if (modules !== undefined) return createSchema(fromModules(modules), settings);
  if (!typeDefs) throw new Error('Apollo Server requires either an existing schema, modules or typeDefs');
  return createSchema({ typeDefs: sourcesOf(typeDefs), ...(resolvers !== undefined && { resolvers }) }, settings);
}

/** typeDefs in a flat list. Lists may hold functions that return more of it. */
function sourcesOf(typeDefs: unknown): (string | DocumentNode)[] {
  if (Array.isArray(typeDefs)) return typeDefs.flatMap((one) => sourcesOf(one));
  if (typeof typeDefs === 'function') return sourcesOf((typeDefs as () => unknown)());
  return [typeDefs as string | DocumentNode];
}

function fromModules(modules: readonly GraphQLSchemaModule[]): { typeDefs: DocumentNode[]; resolvers: Record<string, any>[] } {
  const parts = modules.map((module) => ('kind' in module ? { typeDefs: module as unknown as DocumentNode } : module));
  return {
    typeDefs: withOneQuery(parts.map(({ typeDefs }) => (typeof typeDefs === 'string' ? parse(typeDefs) : typeDefs))),
    resolvers: parts.flatMap(({ resolvers }) => resolvers ?? []),
  };
}

const roots = ['Query', 'Mutation', 'Subscription'];

/** Modules may extend root types that no module defines. */
function withOneQuery(documents: DocumentNode[]): DocumentNode[] {
  const defined = new Set<string>();
  for (const { definitions } of documents)
    for (const one of definitions) if (one.kind === Kind.OBJECT_TYPE_DEFINITION) defined.add(one.name.value);
  const define = (node: DefinitionNode): DefinitionNode => {
    if (node.kind !== Kind.OBJECT_TYPE_EXTENSION || !roots.includes(node.name.value) || defined.has(node.name.value)) return node;
    defined.add(node.name.value);
    return { ...node, kind: Kind.OBJECT_TYPE_DEFINITION };
  };
  return documents.map((document) => ({ ...document, definitions: document.definitions.map(define) }));
}

function withMocks({ mocks, mockEntireSchema }: Config, schema: GraphQLSchema): GraphQLSchema {
  if (mocks === false || (!mocks && mockEntireSchema === undefined)) return schema;
  const { addMocksToSchema } = loadPeer('@graphql-tools/mock', 'The options mocks and mockEntireSchema need it') as {
    addMocksToSchema(options: object): GraphQLSchema;
  };
  return addMocksToSchema({
    schema,
    mocks: mocks === true || mocks === undefined ? {} : mocks,
    preserveResolvers: mockEntireSchema === false,
  });
}

/** Version 3's hash of a schema: of its introspection result, with sorted keys. */
export function hashSchema(schema: GraphQLSchema): SchemaHash {
  const { data } = graphqlSync({ schema, source: getIntrospectionQuery() });
  const text = JSON.stringify(data?.['__schema'], (_, value: unknown) => inOrder(value));
  return process.getBuiltinModule('node:crypto').createHash('sha512').update(text).digest('hex') as SchemaHash;
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Loads an optional peer dependency of the project, or throws an error that says how to install it. `need` names the reason. */
function loadPeer(name: string, need: string): unknown {
  const module = globalThis.process?.getBuiltinModule?.('node:module');
  if (module === undefined) throw new Error(`${need}: ${name}, which can be loaded in Node.js only.`);
  // Beside the program first: in a monorepo it may have been started from a folder with another version.
  const places = [process.argv[1], `${process.cwd()}/package.json`].filter((place) => place !== undefined);
  let failure: unknown;
  for (const place of places) {
    try {
      return module.createRequire(place)(name) as unknown;
    } catch (error) {
      failure ??= error;
    }
  }
  const reason = messageOf(failure).split('\n', 1)[0]!;
  throw new Error(`${need}: install it with "npm install ${name}". (${reason})`, { cause: failure });
}
