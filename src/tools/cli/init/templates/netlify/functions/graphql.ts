import { createHandler } from 'graphql-functions/netlify';

import { resolvers } from '../graphql/resolvers.ts';
import { typeDefs } from '../graphql/schema.ts';

export default createHandler({ csrfPrevention: true, typeDefs, resolvers });
