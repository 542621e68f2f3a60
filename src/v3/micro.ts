export { ApolloServer } from '../extensions/v3/hosts/micro-server.ts';
export type { CreateHandlerOptions, MicroRequest } from '../extensions/v3/hosts/micro-server.ts';
export type { NodeContextFunctionParams, NodeHandler } from '../extensions/v3/hosts/node-handler.ts';
export type { GraphQLOptions } from '../extensions/v3/server/query-options.ts';
export type { Config, Context, ContextFunction, GatewayInterface, GraphQLSchemaModule } from '../extensions/v3/server/config.ts';
export { SchemaDirectiveVisitor } from '../extensions/v3/server/schema-directives.ts';
export { gql } from '../extensions/v3/gql.ts';
export {
  ApolloError,
  AuthenticationError,
  ForbiddenError,
  SyntaxError,
  toApolloError,
  UserInputError,
  ValidationError,
} from '../extensions/v3/errors/apollo-error.ts';
export type { ApolloServerPlugin, GraphQLRequest, GraphQLResponse, PluginDefinition } from '../extensions/v3/types.ts';
