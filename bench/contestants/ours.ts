import { createHandler } from 'graphql-functions/aws-lambda';

import type { Contestant, Result } from '../event.ts';

export const create: Contestant = ({ typeDefs, resolvers }) => {
  const handler = createHandler({ csrfPrevention: true, typeDefs, resolvers });
  return (event, context) => handler(event, context as never) as Promise<Result>;
};
