import { serve } from 'graphql-functions/node';

import { resolvers } from './graphql/resolvers.ts';
import { typeDefs } from './graphql/schema.ts';

const port = Number(process.env['PORT'] ?? 4000);
const { url } = await serve({ csrfPrevention: true, typeDefs, resolvers }, { port });

console.log(`GraphQL at ${url}`);
