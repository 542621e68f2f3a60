import awsLambdaFastify from '@fastify/aws-lambda';
import { fastify } from 'fastify';
import mercurius from 'mercurius';

import type { Contestant, Result } from '../event.ts';

/** Mercurius on Fastify with its compiler on (`jit: 1`), through Fastify's Lambda adapter. */
export const create: Contestant = ({ typeDefs, resolvers }) => {
  const app = fastify();
  void app.register(mercurius, { schema: typeDefs, resolvers: resolvers as never, jit: 1, allowBatchedQueries: true, path: '/graphql' });
  const handler = awsLambdaFastify(app);
  return (event, context) => handler(event, context as never) as unknown as Promise<Result>;
};
