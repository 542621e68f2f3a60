/**
 * Options of other servers, and what to write here instead. Only the command line has this table, to keep bundles small.
 * Options with a similar name here are missing, because createHandler's message suggests that name.
 */
const advice: Readonly<Record<string, string>> = {
  apollo: 'Remove it: nothing is reported to Apollo.',
  batching: 'Batches are on, with up to 10 operations. allowBatchedHttpRequests: { limit } sets another number.',
  debug: 'Write includeStacktraceInErrorResponses for stack traces, maskErrors for the messages of unexpected errors.',
  directiveResolvers: 'Wrap the resolvers, or make the schema with your own tools and give it as schema.',
  documentStore: 'Write documentCacheBytes, the bytes that parsed documents may take.',
  engine: 'Remove it: nothing is reported to Apollo.',
  fetchAPI: 'Remove it: the platform has fetch, Request and Response.',
  formatResponse: 'Write a plugin with willSendResponse.',
  gateway: 'A function can be a subgraph, but not a gateway.',
  graphiql: 'The playground is shown where NODE_ENV is development. landingPage: false turns it off.',
  graphqlEndpoint: 'Remove it: a handler answers at every path, and the platform decides which paths lead to it.',
  graphqlPath: 'Remove it: a handler answers at every path, and the platform decides which paths lead to it.',
  healthCheckEndpoint: 'Remove it: every path that ends with /health is a health check.',
  healthCheckPath: 'Remove it: every path that ends with /health is a health check.',
  hideSchemaDetailsFromClientErrors: 'Write suggestions: false, which is the default outside of development.',
  inheritResolversFromInterfaces: 'Make the schema with makeExecutableSchema of @graphql-tools/schema, and give it as schema.',
  middleware: 'Set headers in context (response.headers), or write a plugin.',
  mockEntireSchema: 'Make the schema with @graphql-tools/mock, and give it as schema.',
  mocks: 'Make the schema with @graphql-tools/mock, and give it as schema.',
  modules: 'Write typeDefs: [a.typeDefs, b.typeDefs] and resolvers: [a.resolvers, b.resolvers].',
  multipart: 'Files do not pass through the function. Clients upload to a store by a signed URL: docs/uploads.md.',
  onHealthCheck: 'Remove it: every path that ends with /health is a health check.',
  parseOptions: 'Remove it: limits of documents are maxTokens and maxNesting.',
  path: 'Remove it: a handler answers at every path, and the platform decides which paths lead to it.',
  playground: 'The playground is shown where NODE_ENV is development. landingPage: false turns it off.',
  resolverValidationOptions: 'Make the schema with makeExecutableSchema of @graphql-tools/schema, and give it as schema.',
  schemaDirectives:
    'Make the schema with makeExecutableSchema, transform it with mapSchema of @graphql-tools/utils, and give it as schema.',
  schemaTransforms:
    'Make the schema with makeExecutableSchema, transform it with mapSchema of @graphql-tools/utils, and give it as schema.',
  status400ForVariableCoercionErrors: 'Remove it: wrong variables are always answered with 400.',
  stopOnTerminationSignals: 'Remove it. The option signals of serve is for a long-lived process.',
  subscriptions:
    'Remove it: a field of "type Subscription" needs a resolver with subscribe. Clients use server-sent events: docs/streaming.md.',
  tracing: 'Write plugins: [openTelemetry()], imported from "graphql-functions/opentelemetry".',
  uploads: 'Files do not pass through the function. Clients upload to a store by a signed URL: docs/uploads.md.',
};

/** The message about an option that other servers have and this one does not. Undefined for all other options. */
export function foreignOption(name: string): string | undefined {
  return Object.hasOwn(advice, name) ? `Unknown option "${name}", which other servers have. ${advice[name]}` : undefined;
}
