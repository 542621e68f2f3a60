import { ApolloServer } from '@apollo/server';
import { handlers, startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';

import type { Contestant, Result } from '../event.ts';

/** Apollo Server 5 with its Lambda integration, batches allowed, as for a deployment (NODE_ENV=production). */
export const create: Contestant = ({ typeDefs, resolvers }) => {
  const server = new ApolloServer({ typeDefs, resolvers: resolvers as never, allowBatchedHttpRequests: true });
  const handler = startServerAndCreateLambdaHandler(server, handlers.createAPIGatewayProxyEventV2RequestHandler());
  return (event, context) => handler(event, context as never, () => {}) as Promise<Result>;
};
