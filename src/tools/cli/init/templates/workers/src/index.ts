import { createHandler } from 'graphql-functions/fetch';
import { landingPage } from 'graphql-functions/landing-page';

import { resolvers } from '../graphql/resolvers.ts';
import { typeDefs } from '../graphql/schema.ts';

// Workers have no environment variables. Wrangler writes "development" or "production" in place of this expression, so that what is
// deployed has no playground.
const playground =
  process.env.NODE_ENV === 'development' ? [landingPage({ playground: () => import('graphql-functions/playground') })] : [];

const { fetch } = createHandler({
  csrfPrevention: true,
  nodeEnv: process.env.NODE_ENV,
  plugins: playground,
  typeDefs,
  resolvers,
});

// An object: Workers take an exported function for a class.
export default { fetch };
