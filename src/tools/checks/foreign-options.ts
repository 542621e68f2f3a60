/** Options that users of other servers miss most, and what to write here instead. Only tools have this table, to keep bundles small. */
const advice: Readonly<Record<string, string>> = {
  batching: 'Batches of up to 10 operations are allowed. allowBatchedHttpRequests: { limit } sets the number.',
  debug: 'Use includeStacktraceInErrorResponses for stack traces, and maskErrors for the messages of unexpected errors.',
  formatResponse: 'Write a plugin with willSendResponse.',
  gateway: 'A function can be a subgraph, but not a gateway.',
  graphiql: 'The playground is shown if NODE_ENV is development. landingPage: false turns it off.',
  graphqlEndpoint: 'Remove it: the platform routes requests to the function, which ignores their path.',
  mocks: 'Create the schema with @graphql-tools/mock, and pass it as schema.',
  modules: 'Write typeDefs: [a.typeDefs, b.typeDefs] and resolvers: [a.resolvers, b.resolvers].',
  playground: 'The playground is shown if NODE_ENV is development. landingPage: false turns it off.',
  schemaDirectives: 'Create the schema with makeExecutableSchema and mapSchema of @graphql-tools, and pass it as schema.',
  status400ForVariableCoercionErrors: 'Remove it: requests with wrong variables are never answered 200.',
  subscriptions:
    'Remove it: a field of "type Subscription" needs a resolver with subscribe. Clients use server-sent events: docs/streaming.md.',
  uploads: 'Clients upload files to object storage with a signed URL, not through the function: docs/uploads.md.',
};

/** The message about an option that other servers have and this one does not. Undefined for all other options. */
export function foreignOption(name: string): string | undefined {
  return Object.hasOwn(advice, name) ? `Unknown option "${name}", which is an option of another server. ${advice[name]}` : undefined;
}
