import { GraphQLError } from 'graphql';
import type { DocumentNode, GraphQLSchema, ValidationRule } from 'graphql';

import type { KeyValueCache } from '../../datasources/index.ts';
import type { GraphQLServerOptions, PersistedQueryOptions } from '../options.ts';
import type { ApolloConfig, PluginDefinition, ValueOrPromise } from '../types.ts';

/** The context value, or the object it is copied from. */
export type Context<T = object> = T;
/** Creates the context value, once per HTTP request. */
export type ContextFunction<TParams = any, TContext = object> = (params: TParams) => ValueOrPromise<Context<TContext>>;

/** An element of `modules`: a part of the schema, with its resolvers. */
export interface GraphQLSchemaModule {
  readonly typeDefs: DocumentNode;
  readonly resolvers?: Record<string, any>;
}

/** Header fields of which a GET must have one. Default: x-apollo-operation-name, apollo-require-preflight. */
export interface CSRFPreventionOptions {
  readonly requestHeaders?: string[];
}

/** The options of a request that a server sets itself, or takes in another form. */
type OwnOptions = 'schema' | 'schemaHash' | 'context' | 'cache' | 'plugins' | 'persistedQueries';

/** The options of version 3. */
export interface Config<ContextFunctionParams = any> extends Omit<GraphQLServerOptions<any>, OwnOptions> {
  /** Text, documents, or lists of these. */
  typeDefs?: any;
  resolvers?: any;
  schema?: GraphQLSchema | undefined;
  modules?: GraphQLSchemaModule[] | undefined;
  context?: Context | ContextFunction<ContextFunctionParams> | undefined;
  /** Default: "bounded", 30 MiB in memory. */
  cache?: KeyValueCache | 'bounded' | undefined;
  plugins?: PluginDefinition[] | undefined;
  persistedQueries?: PersistedQueryOptions | false | undefined;
  /** Default: unless NODE_ENV is production. */
  introspection?: boolean | undefined;
  mocks?: any;
  mockEntireSchema?: boolean | undefined;
  /** Default: false. */
  csrfPrevention?: CSRFPreventionOptions | boolean | undefined;
  stopOnTerminationSignals?: boolean | undefined;
  /** Settings of Apollo, for plugins that read them. */
  apollo?: ApolloConfig | undefined;
}

/** Advice for code that uses schema directives. */
export const withMapSchema =
  'Write a function that changes the schema with mapSchema of @graphql-tools/utils, and pass what it returns as schema.';

/** Options that are refused, because their author would expect an effect, and advice what to write instead. */
const withdrawn: Readonly<Record<string, string>> = {
  gateway: 'Put a router in front of the subgraphs: see docs/federation.md.',
  schemaDirectives: withMapSchema,
};

/** Throws for invalid options. */
export function assertConfig(config: Config): void {
  const { cache, plugins } = config;
  for (const [name, advice] of Object.entries(withdrawn))
    if (config[name as keyof Config]) throw new Error(`The option ${name} does not exist here. ${advice}`);
  if (cache !== undefined && cache !== 'bounded' && typeof cache !== 'object')
    throw new TypeError(`The option cache takes "bounded" or an object with get, set and delete, not ${JSON.stringify(cache)}.`);
  const missing = plugins?.findIndex((plugin) => !plugin) ?? -1;
  if (missing !== -1) throw new TypeError(`plugins[${missing}] is ${String(plugins![missing])}, not a plugin. Leave it out of the list.`);
}

/** Refuses `__schema` and `__type` with version 3's message. */
export const noIntrospection: ValidationRule = (context) => ({
  Field(node) {
    if (node.name.value !== '__schema' && node.name.value !== '__type') return;
    context.reportError(
      new GraphQLError(
        'GraphQL introspection is not allowed by Apollo Server, but the query contained __schema or __type. To enable introspection, pass introspection: true to ApolloServer in production',
        { nodes: [node] },
      ),
    );
  },
});
