export { ApolloServer } from '../../v3/hosts/express-server.ts';
export type {
  ApolloServerExpressConfig,
  CorsOptions,
  ExpressContext,
  Middleware,
  NodeHandler,
  ServerRegistration,
} from '../../v3/hosts/express-server.ts';
export type { CreateHandlerOptions } from '../../v3/server/apollo-server-base.ts';
export type { BodyParserConfig as OptionsJson } from '../../v3/http/body.ts';
export type { GetMiddlewareOptions } from '../../v3/http/respond.ts';
export * from './core.ts';
