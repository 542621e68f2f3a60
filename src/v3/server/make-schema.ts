import { assertValidSchema, getIntrospectionQuery, graphqlSync, Kind, parse, visit } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';

import { firstLineOf } from '../../shared/index.ts';
import { findCheck } from '../../server/for-v3.ts';
import { createSchema } from '../../executor/schema/index.ts';
import { cacheControlDefinitions } from '../../extensions/edge/index.ts';
import type { Logger, SchemaHash } from '../types.ts';
import type { Config, GraphQLSchemaModule } from './config.ts';
import { visitSchemaDirectives } from './schema-directives.ts';
import { sourcesOf, sdlOf } from './schema-sources.ts';

/** Builds the schema from `schema`, `modules` or `typeDefs`. Throws when it is invalid. */
export function makeSchema(config: Config, logger: Logger): GraphQLSchema {
  // graphql-js caches the result, which the first operation needs anyway.
  if (config.schema) assertValidSchema(config.schema);
  const schema = withMocks(config, config.schema ?? buildSchema(config, logger));
  if (config.schemaDirectives !== undefined) visitSchemaDirectives(schema, config.schemaDirectives);
  return schema;
}

function buildSchema({ modules, typeDefs, resolvers, nodeEnv }: Config, logger: Logger): GraphQLSchema {
  const isChecked = nodeEnv === 'development' || nodeEnv === 'test';
  const settings = { checkWhole: isChecked && findCheck, warn: (message: string) => logger.warn(message) };
  if (modules !== undefined) return createSchema(fromModules(modules), settings);
  if (!typeDefs) throw new Error('Apollo Server requires either an existing schema, modules or typeDefs');
  const sources = sourcesOf(typeDefs);
  return createSchema({ typeDefs: withCacheControl(sources), ...(resolvers !== undefined && { resolvers }) }, settings);
}

/** Version 2 defined `@cacheControl` itself; a schema that uses it without a definition is invalid. */
function withCacheControl(sources: (string | DocumentNode)[]): (string | DocumentNode)[] {
  const texts = sources.map(sdlOf);
  const uses = texts.some((text) => text.includes('@cacheControl'));
  if (!uses || sources.some((source, at) => definesCacheControl(source, texts[at]!))) return sources;
  return [...sources, cacheControlDefinitions];
}

function definesCacheControl(source: string | DocumentNode, text: string): boolean {
  if (typeof source === 'string') return /directive\s+@cacheControl\b/.test(text);
  return source.definitions.some((one) => one.kind === Kind.DIRECTIVE_DEFINITION && one.name.value === 'cacheControl');
}

function fromModules(modules: readonly GraphQLSchemaModule[]): { typeDefs: DocumentNode[]; resolvers: Record<string, any>[] } {
  const parts = modules.map((module) => ('kind' in module ? { typeDefs: module as unknown as DocumentNode } : module));
  return {
    typeDefs: withOneQuery(parts.map(({ typeDefs }) => (typeof typeDefs === 'string' ? parse(typeDefs) : typeDefs))),
    resolvers: parts.flatMap(({ resolvers }) => resolvers ?? []),
  };
}

/** Modules may extend root types that no module defines. */
function withOneQuery(documents: DocumentNode[]): DocumentNode[] {
  const defined = new Set<string>();
  for (const { definitions } of documents)
    for (const one of definitions) if (one.kind === Kind.OBJECT_TYPE_DEFINITION) defined.add(one.name.value);
  return documents.map((document) =>
    visit(document, {
      ObjectTypeExtension(node) {
        if (!['Query', 'Mutation', 'Subscription'].includes(node.name.value) || defined.has(node.name.value)) return undefined;
        defined.add(node.name.value);
        return { ...node, kind: Kind.OBJECT_TYPE_DEFINITION };
      },
    }),
  );
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
  const reason = firstLineOf(failure);
  throw new Error(`${need}: install it with "npm install ${name}". (${reason})`, { cause: failure });
}
