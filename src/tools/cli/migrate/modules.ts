import { packageOf } from '../project/installed-packages.ts';

/** Where to import a name from, or that it needs no import, or why it needs manual work. */
export type Destination = { readonly module: string } | { readonly isGlobal: true } | { readonly left: string };

const v3 = 'graphql-functions/v3';
const core = 'graphql-functions/v3/core';
const rest = 'graphql-functions/v3/datasource-rest';

const ofEveryServer = 'ApolloServer Config Context ContextFunction CreateHandlerOptions GraphQLOptions GraphQLSchemaModule';

/** Names that only the servers' entries export. A test compares them with the entries. */
export const serverNames: Readonly<Record<string, readonly string[]>> = {
  [v3]: names(`${ofEveryServer} ExpressContext ExpressRequest ExpressResponse GetMiddlewareOptions LambdaContextFunctionParams`),
  'graphql-functions/v3/express': names(
    `${ofEveryServer} ApolloServerExpressConfig CorsOptions ExpressContext GetMiddlewareOptions Middleware NodeHandler OptionsJson ServerRegistration`,
  ),
};

/** Names of every entry. */
export const sharedNames: readonly string[] = names(
  'ApolloError ApolloServerPlugin AuthenticationError ForbiddenError GraphQLRequest GraphQLResponse PluginDefinition SyntaxError UserInputError ValidationError gql toApolloError',
);

/** Names of the other entries, which a test compares as well. */
export const otherNames: Readonly<Record<string, readonly string[]>> = {
  [core]: names(
    `AnyFunction AnyFunctionMap ApolloConfig ApolloError ApolloServerBase ApolloServerPlugin ApolloServerPluginCacheControl ApolloServerPluginCacheControlDisabled ApolloServerPluginCacheControlOptions ApolloServerPluginDrainHttpServer ApolloServerPluginDrainHttpServerOptions ApolloServerPluginInlineTrace ApolloServerPluginInlineTraceDisabled ApolloServerPluginLandingPageDisabled ApolloServerPluginLandingPageGraphQLPlayground ApolloServerPluginLandingPageLocalDefault ApolloServerPluginLandingPageProductionDefault ApolloServerPluginSchemaReporting ApolloServerPluginUsageReporting ApolloServerPluginUsageReportingDisabled AuthenticationError BaseContext CacheAnnotation CacheHint CachePolicy CacheScope Config Context ContextFunction CSRFPreventionOptions DataSources DocumentStore ErrorOptions ErrorsAreMissesCache ExecutableSchemaOptions ForbiddenError formatApolloErrors fromGraphQLError gql GraphQLExecutionResult GraphQLExecutor GraphQLFieldResolverParams GraphQLOptions GraphQLRequest GraphQLRequestContext GraphQLRequestContextDidEncounterErrors GraphQLRequestContextDidResolveOperation GraphQLRequestContextDidResolveSource GraphQLRequestContextExecutionDidStart GraphQLRequestContextParsingDidStart GraphQLRequestContextResponseForOperation GraphQLRequestContextValidationDidStart GraphQLRequestContextWillSendResponse GraphQLRequestExecutionListener GraphQLRequestListener GraphQLRequestListenerDidResolveField GraphQLRequestListenerExecutionDidEnd GraphQLRequestListenerParsingDidEnd GraphQLRequestListenerValidationDidEnd GraphQLRequestMetrics GraphQLResponse GraphQLSchemaContext GraphQLSchemaModule GraphQLServerListener GraphQLServerOptions GraphQLServiceContext HttpQueryError HTTPRequestHead InMemoryLRUCache isHttpQueryError KeyvAdapter KeyValueCache KeyValueCacheSetOptions LandingPage Logger makeExecutableSchema newCachePolicy PersistedQueryNotFoundError PersistedQueryNotSupportedError PersistedQueryOptions PluginDefinition PrefixingKeyValueCache ResolveInfoCacheControl SchemaHash SyntaxError toApolloError UserInputError ValidationError ValidationRule ValueOrPromise VariableValues WithRequired`,
  ),
  'graphql-functions/v3/datasource': names('DataSource DataSourceConfig KeyValueCache'),
  [rest]: names('Body CacheOptions HTTPCache Request RequestOptions Response RESTDataSource URLSearchParamsInit'),
};

function names(text: string): string[] {
  return text.split(' ');
}

/** Names of graphql-tools before version 8, which does not work with graphql 16. */
const namesOfTools: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries({
      '@graphql-tools/schema': 'addResolversToSchema mergeSchemas IExecutableSchemaDefinition',
      '@graphql-tools/merge': 'mergeResolvers mergeTypeDefs',
      '@graphql-tools/mock': 'addMocksToSchema createMockStore IMocks MockList mockServer relayStylePaginationMock',
      '@graphql-tools/load-files': 'loadFiles loadFilesSync',
      '@graphql-tools/utils':
        'filterSchema getDirective getDirectives IDirectiveResolvers IFieldResolver IResolvers IResolverValidationOptions ISchemaLevelResolver ITypeDefinitions MapperKind mapSchema printSchemaWithDirectives pruneSchema',
    }).flatMap(([module, list]) => names(list).map((name) => [name, module])),
  ),
  // These versions support schemaDirectives, which @graphql-tools/schema ignores silently, and core refuses.
  makeExecutableSchema: core,
};

/** What to write in place of names that have no replacement. */
const adviceFor: ReadonlyMap<string, string> = new Map([
  ['addMockFunctionsToSchema', 'use addMocksToSchema of @graphql-tools/mock'],
  ['createTestClient', 'use executeOperation of the server'],
  ['SchemaDirectiveVisitor', 'change the schema with mapSchema of @graphql-tools/utils'],
]);

function destinationOfTool(name: string | undefined): Destination {
  if (name === undefined)
    return { left: 'This version of graphql-tools does not work with graphql 16: import its names from the packages of @graphql-tools' };
  if (Object.hasOwn(namesOfTools, name)) return { module: namesOfTools[name]! };
  const advice = adviceFor.get(name) ?? 'look for its replacement in the packages of @graphql-tools';
  return { left: `${name} of graphql-tools does not work with graphql 16: ${advice}` };
}

/** Names that version 2 re-exported from other packages. */
const passedOn: Readonly<Record<string, string>> = {
  // These functions supported schemaDirectives, which @graphql-tools/schema ignores silently, and core refuses.
  makeExecutableSchema: core,
  mergeSchemas: '@graphql-tools/schema',
  addMocksToSchema: '@graphql-tools/mock',
  PubSub: 'graphql-subscriptions',
  withFilter: 'graphql-subscriptions',
  IResolvers: '@graphql-tools/utils',
  MockList: '@graphql-tools/mock',
  GraphQLUpload: '',
};

/** Names that look like exports of core but are not. */
const internals = ['generateSchemaHash', 'processGraphQLRequest', 'hasPersistedQueryError'];

/** Modules whose names all move to one place. */
const whole: Readonly<Record<string, string>> = {
  'apollo-datasource': 'graphql-functions/v3/datasource',
  'apollo-datasource-rest': rest,
  'apollo-server-errors': core,
  'apollo-server-testing': core,
  'apollo-server-types': core,
  'apollo-server-plugin-base': core,
  'apollo-server-caching': core,
  '@apollo/utils.keyvaluecache': core,
  '@apollo/utils.keyvadapter': core,
};

/** Servers and the entry that replaces each. */
const servers: Readonly<Record<string, string>> = {
  'apollo-server-lambda': v3,
  'apollo-server-express': 'graphql-functions/v3/express',
  'apollo-server-cloud-functions': 'graphql-functions/v3/express',
  'apollo-server-micro': 'graphql-functions/v3/express',
  '@saeris/apollo-server-vercel': 'graphql-functions/v3/express',
};

/** Servers of other platforms: only the names that they share with this package can be migrated. */
const otherServers = /^apollo-server-(?:fastify|koa|hapi|cloudflare|integration-testsuite)$/;

/** Polyfills of apollo-server-env for old versions of Node. */
const webNames =
  /^(?:fetch|ReferrerPolicy|RequestCache|RequestCredentials|RequestMode|RequestRedirect|Headers|Request|Response|URL|URLSearchParams|RequestInfo|RequestInit|ResponseInit|HeadersInit|BodyInit)$/;

/** Types of apollo-server-env that data sources and plugins use. */
const typesOfEnv: Readonly<Record<string, string>> = {
  URLSearchParamsInit: rest,
  ValueOrPromise: core,
};

/** Packages of version 3 that this package replaces. Not all have an entry of their own. */
export const packagesOfVersion3: readonly string[] = [
  ...Object.keys(servers),
  ...Object.keys(whole),
  'apollo-server',
  'apollo-server-azure-functions',
  'apollo-server-core',
  'apollo-server-env',
];

/** True for a module of version 3. */
export function isOfVersion3(module: string): boolean {
  const name = packageOf(module);
  return packagesOfVersion3.includes(name) || otherServers.test(name);
}

/** Where a module's name moves. An undefined name stands for the whole module. */
export function destinationOf(module: string, name: string | undefined): Destination {
  const from = packageOf(module);
  if (from === 'graphql-tools') return destinationOfTool(name);
  if (Object.hasOwn(whole, from))
    return name === undefined || otherNames[whole[from]!]!.includes(name) ? { module: whole[from]! } : missing(name, from);
  if (name === undefined) return destinationOfWhole(from);
  if (from === 'apollo-server-env')
    return webNames.test(name)
      ? { isGlobal: true }
      : Object.hasOwn(typesOfEnv, name)
        ? { module: typesOfEnv[name]! }
        : { left: `${name} of ${from} does not exist here: Node.js has this feature` };
  const other = Object.hasOwn(passedOn, name) ? passedOn[name] : undefined;
  if (other !== undefined)
    return other === '' ? { left: `${name} does not exist in this package, which does not support uploads` } : { module: other };
  if (internals.includes(name)) return { left: `${name} of ${from} is internal, and does not exist here` };
  if (from === 'apollo-server-core') return otherNames[core]!.includes(name) ? { module: core } : missing(name, from);
  const entry = Object.hasOwn(servers, from) ? servers[from]! : undefined;
  const isShared = sharedNames.includes(name);
  if (entry !== undefined && (isShared || serverNames[entry]!.includes(name))) return { module: entry };
  if (otherNames[core]!.includes(name)) return { module: core };
  if (entry !== undefined) return missing(name, from);
  return { left: `${name} of ${from} belongs to another platform: ${wayOut(from)}` };
}

function missing(name: string, from: string): Destination {
  const advice = adviceFor.get(name);
  return { left: `${name} of ${from} does not exist here${advice === undefined ? '' : `: ${advice}`}` };
}

/** The replacement for a server that has no entry in this package. */
function wayOut(from: string): string {
  if (from === 'apollo-server-cloudflare') return 'use createHandler of graphql-functions/fetch there';
  if (from === 'apollo-server-azure-functions') return 'use createHandler of graphql-functions there: see docs/migration.md, "Other hosts"';
  return "use createHandler() of ApolloServer in graphql-functions/v3/express, which takes Node's request and response";
}

function destinationOfWhole(from: string): Destination {
  if (Object.hasOwn(servers, from)) return { module: servers[from]! };
  return from === 'apollo-server-core' ? { module: core } : { left: `${from} belongs to another platform: ${wayOut(from)}` };
}
