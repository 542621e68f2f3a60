/** Where a name is to be imported from, that it needs no import any more, or why it must be looked at. */
export type Destination = { readonly module: string } | { readonly isGlobal: true } | { readonly left: string };

const v3 = 'graphql-functions/v3';
const core = 'graphql-functions/v3/core';

/** The names that the servers' entries have in addition to those of all version-3 packages; a test compares them with the entries. */
export const serverNames: Readonly<Record<string, readonly string[]>> = {
  [v3]: [
    'ApolloServer',
    'Config',
    'Context',
    'ContextFunction',
    'CreateHandlerOptions',
    'ExpressContext',
    'ExpressRequest',
    'ExpressResponse',
    'GatewayInterface',
    'GetMiddlewareOptions',
    'GraphQLOptions',
    'GraphQLSchemaModule',
    'LambdaContextFunctionParams',
    'SchemaDirectiveVisitor',
  ],
  'graphql-functions/v3/express': [
    'ApolloServer',
    'ApolloServerExpressConfig',
    'Config',
    'Context',
    'ContextFunction',
    'CorsOptions',
    'CreateHandlerOptions',
    'ExpressContext',
    'GatewayInterface',
    'GetMiddlewareOptions',
    'GraphQLOptions',
    'GraphQLSchemaModule',
    'Middleware',
    'NodeHandler',
    'OptionsJson',
    'SchemaDirectiveVisitor',
    'ServerInfo',
    'ServerRegistration',
    'StandaloneConfig',
  ],
  'graphql-functions/v3/micro': [
    'ApolloServer',
    'Config',
    'Context',
    'ContextFunction',
    'CreateHandlerOptions',
    'GatewayInterface',
    'GraphQLOptions',
    'GraphQLSchemaModule',
    'MicroRequest',
    'NodeContextFunctionParams',
    'NodeHandler',
    'SchemaDirectiveVisitor',
  ],
  'graphql-functions/v3/azure-functions': [
    'ApolloServer',
    'AzureContext',
    'AzureContextFunctionParams',
    'AzureFunction',
    'AzureRequest',
    'Config',
    'Context',
    'ContextFunction',
    'CreateHandlerOptions',
    'GatewayInterface',
    'GraphQLOptions',
    'GraphQLSchemaModule',
    'SchemaDirectiveVisitor',
  ],
};

/** Names of both entries. */
export const sharedNames: readonly string[] = [
  'ApolloError',
  'ApolloServerPlugin',
  'AuthenticationError',
  'ForbiddenError',
  'GraphQLRequest',
  'GraphQLResponse',
  'PluginDefinition',
  'SyntaxError',
  'UserInputError',
  'ValidationError',
  'gql',
  'toApolloError',
];

/** Names that version 2 passed on from packages of their own. */
const passedOn: Readonly<Record<string, string>> = {
  // With schemaDirectives, which @graphql-tools/schema passes over without a word.
  makeExecutableSchema: core,
  mergeSchemas: '@graphql-tools/schema',
  addMocksToSchema: '@graphql-tools/mock',
  PubSub: 'graphql-subscriptions',
  withFilter: 'graphql-subscriptions',
  IResolvers: '@graphql-tools/utils',
  MockList: '@graphql-tools/mock',
  GraphQLUpload: '',
};

/** Names that look like those of core, and that core does not have. */
const internals = ['generateSchemaHash', 'processGraphQLRequest', 'hasPersistedQueryError'];

/** Modules of which every name has one place. */
const whole: Readonly<Record<string, string>> = {
  'apollo-datasource': 'graphql-functions/v3/datasource',
  'apollo-datasource-rest': 'graphql-functions/v3/datasource-rest',
  'apollo-server-errors': core,
  'apollo-server-testing': core,
  'apollo-server-types': core,
  'apollo-server-plugin-base': core,
  'apollo-server-caching': core,
  '@apollo/utils.keyvaluecache': core,
  '@apollo/utils.keyvadapter': core,
};

/** Servers, and the entry that has theirs. */
const servers: Readonly<Record<string, string>> = {
  'apollo-server-lambda': v3,
  'apollo-server': 'graphql-functions/v3/express',
  'apollo-server-express': 'graphql-functions/v3/express',
  'apollo-server-cloud-functions': 'graphql-functions/v3/express',
  'apollo-server-micro': 'graphql-functions/v3/micro',
  '@saeris/apollo-server-vercel': 'graphql-functions/v3/micro',
  'apollo-server-azure-functions': 'graphql-functions/v3/azure-functions',
};

/** Servers of other platforms: what they share with this one can be taken from it, the server itself cannot. */
const otherServers = /^apollo-server-(?:fastify|koa|hapi|cloudflare|integration-testsuite)$/;

/** What apollo-server-env had for old versions of Node. */
const webNames =
  /^(?:fetch|ReferrerPolicy|RequestCache|RequestCredentials|RequestMode|RequestRedirect|Headers|Request|Response|URL|URLSearchParams|RequestInfo|RequestInit|ResponseInit|HeadersInit|BodyInit)$/;

/** Types that data sources and plugins took from there. */
const typesOfEnv: Readonly<Record<string, string>> = {
  URLSearchParamsInit: 'graphql-functions/v3/datasource-rest',
  ValueOrPromise: core,
};

/** The module without a path into it: `apollo-server-lambda/dist/ApolloServer` → `apollo-server-lambda`. */
export function packageOf(module: string): string {
  const [first = '', second = ''] = module.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** True when a module is one that this command knows. */
export function isOfVersion3(module: string): boolean {
  const name = packageOf(module);
  return (
    Object.hasOwn(servers, name) ||
    Object.hasOwn(whole, name) ||
    otherServers.test(name) ||
    name === 'apollo-server-core' ||
    name === 'apollo-server-env'
  );
}

/** Where a name of a module goes. Undefined as name: the module as a whole, its names unknown. */
export function destinationOf(module: string, name: string | undefined): Destination {
  const from = packageOf(module);
  if (Object.hasOwn(whole, from)) return { module: whole[from]! };
  if (name === undefined) return destinationOfWhole(from);
  if (from === 'apollo-server-env')
    return webNames.test(name)
      ? { isGlobal: true }
      : Object.hasOwn(typesOfEnv, name)
        ? { module: typesOfEnv[name]! }
        : { left: `${name} of ${from} is not here; Node has what that package was for` };
  const other = Object.hasOwn(passedOn, name) ? passedOn[name] : undefined;
  if (other !== undefined) return other === '' ? { left: `${name} is withdrawn with uploads` } : { module: other };
  if (internals.includes(name)) return { left: `${name} of ${from} was never meant to be used, and is not here` };
  if (from === 'apollo-server-core') return { module: core };
  const entry = Object.hasOwn(servers, from) ? servers[from]! : undefined;
  const isShared = sharedNames.includes(name);
  if (entry !== undefined && (isShared || serverNames[entry]!.includes(name))) return { module: entry };
  if (isShared || from === 'apollo-server-lambda' || coreNames.test(name)) return { module: core };
  return {
    left: entry === undefined ? `${name} of ${from} belongs to another platform: ${wayOut(from)}` : `${name} of ${from} is not here`,
  };
}

/** What to write in place of a server that has no entry here. */
function wayOut(from: string): string {
  if (from === 'apollo-server-cloudflare') return 'createHandler of graphql-functions/fetch serves there';
  return "createHandler() of ApolloServer in graphql-functions/v3/express takes Node's request and response there";
}

/** Names that every server passed on from apollo-server-core. */
const coreNames =
  /^(?:ApolloServer(?:Base|Plugin\w+)|GraphQLRequest\w*|GraphQLServ\w+|BaseContext|Logger|KeyValueCache|InMemoryLRUCache|Cache(?:Scope|Hint|Policy)|formatApolloErrors)$/;

function destinationOfWhole(from: string): Destination {
  if (Object.hasOwn(servers, from)) return { module: servers[from]! };
  return from === 'apollo-server-core' ? { module: core } : { left: `${from} is of another platform: ${wayOut(from)}` };
}
