export { ApolloServer } from '../v3/server/apollo-server.ts';
export type { LambdaContextFunctionParams } from '../v3/server/apollo-server.ts';
export type { CreateHandlerOptions } from '../v3/server/apollo-server-base.ts';
export type { GetMiddlewareOptions } from '../v3/http/respond.ts';
export type { ExpressContext, ExpressRequest, ExpressResponse } from '../v3/http/express.ts';
export * from './v3/core.ts';
