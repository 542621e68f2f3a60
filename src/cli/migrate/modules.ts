/** Where a name is to be imported from, or why it must be looked at. */
export type Destination = { readonly module: string } | { readonly left: string };

const v3 = 'graphql-functions/v3';
const core = 'graphql-functions/v3/core';

/** The names that `graphql-functions/v3` has in addition to those of all version-3 packages; a test compares them with the entry. */
export const serverNames: readonly string[] = [
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
];

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
  makeExecutableSchema: '@graphql-tools/schema',
  mergeSchemas: '@graphql-tools/schema',
  addMocksToSchema: '@graphql-tools/mock',
  PubSub: 'graphql-subscriptions',
  withFilter: 'graphql-subscriptions',
  GraphQLUpload: '',
};

/** Names that look like those of core, and that core does not have. */
const internals = [
  'runHttpQuery',
  'resolveGraphqlOptions',
  'convertNodeHttpToRequest',
  'generateSchemaHash',
  'processGraphQLRequest',
  'hasPersistedQueryError',
];

/** Modules of which every name has one place. */
const whole: Readonly<Record<string, string>> = {
  'apollo-datasource': 'graphql-functions/v3/datasource',
  'apollo-datasource-rest': 'graphql-functions/v3/datasource-rest',
  'apollo-server-errors': core,
  'apollo-server-types': core,
  'apollo-server-plugin-base': core,
  'apollo-server-caching': core,
  '@apollo/utils.keyvaluecache': core,
  '@apollo/utils.keyvadapter': core,
};

/** Servers of other platforms: what they share with this one can be taken from it, the server itself cannot. */
const otherServers =
  /^apollo-server(?:-(?:express|micro|fastify|koa|hapi|cloud-functions|azure-functions|cloudflare|testing|integration-testsuite))?$/;

/** The module without a path into it: `apollo-server-lambda/dist/ApolloServer` → `apollo-server-lambda`. */
export function packageOf(module: string): string {
  const [first = '', second = ''] = module.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** True when a module is one that this command knows. */
export function isOfVersion3(module: string): boolean {
  const name = packageOf(module);
  return name === 'apollo-server-lambda' || name === 'apollo-server-core' || Object.hasOwn(whole, name) || otherServers.test(name);
}

/** Where a name of a module goes. Undefined as name: the module as a whole, its names unknown. */
export function destinationOf(module: string, name: string | undefined): Destination {
  const from = packageOf(module);
  if (Object.hasOwn(whole, from)) return { module: whole[from]! };
  if (name === undefined) return destinationOfWhole(from);
  const other = Object.hasOwn(passedOn, name) ? passedOn[name] : undefined;
  if (other !== undefined) return other === '' ? { left: `${name} is withdrawn with uploads` } : { module: other };
  if (internals.includes(name)) return { left: `${name} of ${from} was never meant to be used, and is not here` };
  if (from === 'apollo-server-core') return { module: core };
  const isShared = sharedNames.includes(name);
  if (from === 'apollo-server-lambda') return { module: isShared || serverNames.includes(name) ? v3 : core };
  if (isShared || /^ApolloServerPlugin|^GraphQLRequest/.test(name)) return { module: core };
  return { left: `${name} of ${from} belongs to another platform` };
}

function destinationOfWhole(from: string): Destination {
  if (from === 'apollo-server-lambda') return { module: v3 };
  return from === 'apollo-server-core' ? { module: core } : { left: `${from} is of another platform` };
}
