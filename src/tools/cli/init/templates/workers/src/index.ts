import { createHandler } from 'graphql-functions/fetch';

import { resolvers } from '../graphql/resolvers.ts';
import { typeDefs } from '../graphql/schema.ts';

const { fetch } = createHandler({
  csrfPrevention: true,
  // Workers have no environment variables. Wrangler writes "development" or "production" in place of this expression.
  nodeEnv: process.env.NODE_ENV,
  typeDefs,
  resolvers,
});

// An object: Workers take an exported function for a class.
export default { fetch };
