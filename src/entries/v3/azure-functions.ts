export { ApolloServer } from '../../v3/hosts/azure-server.ts';
export type {
  AzureContext,
  AzureContextFunctionParams,
  AzureFunction,
  AzureRequest,
  CreateHandlerOptions,
} from '../../v3/hosts/azure-server.ts';
export * from '../../v3/common.ts';
