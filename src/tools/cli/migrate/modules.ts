import { packageOf } from '../project/package-name.ts';

const core = 'graphql-functions/v3/core';
const express = 'graphql-functions/v3/express';

/** Packages of Apollo Server 2 and 3, and the entry that exports what each exported. Their deep paths move too. */
const entryFor: ReadonlyMap<string, string> = new Map([
  ['apollo-server-lambda', 'graphql-functions/v3'],
  ['apollo-datasource', 'graphql-functions/v3/datasource'],
  ['apollo-datasource-rest', 'graphql-functions/v3/datasource-rest'],
  ...namesIn('apollo-server-express apollo-server-cloud-functions apollo-server-micro @saeris/apollo-server-vercel', express),
  ...namesIn('apollo-server-core apollo-server-errors apollo-server-testing apollo-server-types apollo-server-plugin-base', core),
  ...namesIn('apollo-server-caching @apollo/utils.keyvaluecache @apollo/utils.keyvadapter', core),
]);

const takesNodesRequest = "use createHandler() of ApolloServer in graphql-functions/v3/express, which takes Node's request and response";

/** Servers of other platforms. Only imports without the server move. */
const otherPlatforms: ReadonlyMap<string, string> = new Map([
  ...namesIn('apollo-server apollo-server-fastify apollo-server-hapi apollo-server-koa', takesNodesRequest),
  ['apollo-server-azure-functions', 'use createHandler of graphql-functions there'],
  ['apollo-server-cloudflare', 'use createHandler of graphql-functions/fetch there'],
]);

/** Packages that this one replaces. */
export const replacedPackages: readonly string[] = [...entryFor.keys(), ...otherPlatforms.keys(), 'apollo-server-env'];

/** Names that no entry exports, and what to do about them. A test compares them with Apollo's packages. */
const adviceFor: ReadonlyMap<string, string> = new Map([
  ...namesIn('createTestClient', 'use executeOperation of the server'),
  ...namesIn('PubSub withFilter', 'import it from graphql-subscriptions'),
  ...namesIn('mergeSchemas addResolversToSchema', 'import it from @graphql-tools/schema'),
  ...namesIn('addMocksToSchema mockServer MockList', 'import it from @graphql-tools/mock'),
  ...namesIn('addMockFunctionsToSchema', 'use addMocksToSchema of @graphql-tools/mock'),
  ...namesIn('IResolvers', 'import it from @graphql-tools/utils'),
  ...namesIn('SchemaDirectiveVisitor', 'change the schema with mapSchema of @graphql-tools/utils'),
  ...namesIn('GraphQLUpload processFileUploads', 'this package has no uploads'),
  ...namesIn('runHttpQuery convertNodeHttpToRequest resolveGraphqlOptions', takesNodesRequest),
  ...namesIn('generateSchemaHash processGraphQLRequest hasPersistedQueryError InvalidGraphQLRequestError', 'it was internal'),
  ...namesIn('createPlaygroundOptions defaultPlaygroundOptions', 'write a plugin with renderLandingPage'),
  ...namesIn('GraphQLExtension ApolloServerPluginUsageReportingFromLegacyOptions', 'write a plugin'),
]);

function namesIn(list: string, value: string): [name: string, value: string][] {
  return list.split(' ').map((name) => [name, value]);
}

/** The new module of an import, and changes that remain to be made by hand. */
export interface Destination {
  readonly module?: string;
  readonly left: readonly string[];
}

/**
 * Returns the new module for an import of a replaced package. `names`: the imported names; undefined if the import takes all, or if they
 * are unknown.
 */
export function destinationOf(module: string, names: readonly string[] | undefined): Destination {
  const from = packageOf(module);
  const left = [...(names ?? [])].flatMap((name) =>
    adviceFor.has(name) ? `${name} of ${from} does not exist here: ${adviceFor.get(name)}.` : [],
  );
  if (from === 'graphql-tools' && !names?.every((name) => name === 'makeExecutableSchema')) {
    const others = 'import makeExecutableSchema from graphql-functions/v3/core, and the rest from the packages of @graphql-tools';
    return { left: [`This version of graphql-tools does not work with graphql 16: ${others}.`, ...left] };
  }
  if (from === 'apollo-server-env') return { left: [`Delete this import of ${from}, and use the globals of Node.js.`] };
  const advice = otherPlatforms.get(from);
  if (advice === undefined) return { module: entryFor.get(from) ?? core, left };
  const hasServer = names === undefined || names.includes('ApolloServer');
  return hasServer ? { left: [`ApolloServer of ${from} belongs to another platform: ${advice}.`] } : { module: core, left };
}
