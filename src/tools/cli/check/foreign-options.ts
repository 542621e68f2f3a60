/**
 * Options of other servers, and what to write here instead. Only the command line has this table, to keep bundles small.
 * Options with a similar name here are missing, because createHandler's message suggests that name.
 */
const advice: Readonly<Record<string, string>> = {
  apollo: 'Remove it: nothing is reported to Apollo.',
  batching: 'Batches of up to 10 operations are allowed. Set the limit with allowBatchedHttpRequests: { limit }.',
  debug: 'Use includeStacktraceInErrorResponses for stack traces, and maskErrors for the messages of unexpected errors.',
  directiveResolvers: 'Wrap the resolvers, or create the schema with other tools and pass it as schema.',
  documentStore: 'Remove it: valid documents are kept in memory.',
  engine: 'Remove it: nothing is reported to Apollo.',
  fetchAPI: 'Remove it: the platform has fetch, Request and Response.',
  formatResponse: 'Write a plugin with willSendResponse.',
  gateway: 'A function can be a subgraph, but not a gateway.',
  graphiql: 'The playground is shown if NODE_ENV is development. landingPage: false turns it off.',
  graphqlEndpoint: 'Remove it: the handler ignores the path, and the platform routes requests to it.',
  graphqlPath: 'Remove it: the handler ignores the path, and the platform routes requests to it.',
  healthCheckEndpoint: 'Remove it: every path that ends with /health is a health check.',
  healthCheckPath: 'Remove it: every path that ends with /health is a health check.',
  hideSchemaDetailsFromClientErrors: 'Write introspection: false, which is the default outside development: it also turns suggestions off.',
  inheritResolversFromInterfaces: 'Create the schema with makeExecutableSchema of @graphql-tools/schema, and pass it as schema.',
  middleware: 'Set headers in context (response.headers), or write a plugin.',
  mockEntireSchema: 'Create the schema with @graphql-tools/mock, and pass it as schema.',
  mocks: 'Create the schema with @graphql-tools/mock, and pass it as schema.',
  modules: 'Write typeDefs: [a.typeDefs, b.typeDefs] and resolvers: [a.resolvers, b.resolvers].',
  multipart: 'Clients upload files to object storage with a signed URL, not through the function: docs/uploads.md.',
  onHealthCheck: 'Remove it: every path that ends with /health is a health check.',
  parseOptions: 'Remove it: maxTokens limits documents.',
  path: 'Remove it: the handler ignores the path, and the platform routes requests to it.',
  playground: 'The playground is shown if NODE_ENV is development. landingPage: false turns it off.',
  resolverValidationOptions: 'Create the schema with makeExecutableSchema of @graphql-tools/schema, and pass it as schema.',
  schemaDirectives:
    'Create the schema with makeExecutableSchema, transform it with mapSchema of @graphql-tools/utils, and pass it as schema.',
  schemaTransforms:
    'Create the schema with makeExecutableSchema, transform it with mapSchema of @graphql-tools/utils, and pass it as schema.',
  status400ForVariableCoercionErrors: "Remove it: invalid variables always get status 422, or 400 with httpStatusProfile: 'classic'.",
  stopOnTerminationSignals: 'Remove it. In a long-lived process, use the option signals of serve.',
  subscriptions:
    'Remove it: a field of "type Subscription" needs a resolver with subscribe. Clients use server-sent events: docs/streaming.md.',
  tracing: 'Write plugins: [openTelemetry()], imported from "graphql-functions/opentelemetry".',
  uploads: 'Clients upload files to object storage with a signed URL, not through the function: docs/uploads.md.',
};

/** The message about an option that other servers have and this one does not. Undefined for all other options. */
export function foreignOption(name: string): string | undefined {
  return Object.hasOwn(advice, name) ? `Unknown option "${name}", which is an option of another server. ${advice[name]}` : undefined;
}
