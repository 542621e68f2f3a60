export { ApolloServer } from '../../v3/hosts/micro-server.ts';
export type { CreateHandlerOptions, MicroRequest } from '../../v3/hosts/micro-server.ts';
export type { NodeContextFunctionParams, NodeHandler } from '../../v3/hosts/node-handler.ts';
export * from '../../v3/common.ts';
