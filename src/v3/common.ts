// What the servers of version 3 export alike, whatever host they are for.

export {
  ApolloError,
  AuthenticationError,
  ForbiddenError,
  SyntaxError,
  toApolloError,
  UserInputError,
  ValidationError,
} from './errors/apollo-error.ts';
export { gql } from './gql.ts';
export type { Config, Context, ContextFunction, GraphQLSchemaModule } from './server/config.ts';
export type { GraphQLOptions } from './server/query-options.ts';
export type { ApolloServerPlugin, GraphQLRequest, GraphQLResponse, PluginDefinition } from './types.ts';
