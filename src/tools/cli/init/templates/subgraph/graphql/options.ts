import { subgraph } from 'graphql-functions/subgraph';

import { resolvers } from './resolvers.ts';
import { routerSecret } from './router-secret.ts';
import { typeDefs } from './schema.ts';

export const options = subgraph({
  // Not trusted documents: the router writes the operations that it sends. Let the router accept only those of your clients.
  routerSecret,
  csrfPrevention: true,
  // A list has 20 items if the router does not say how many, and at most 100.
  pageLimits: { default: 20, max: 100 },
  typeDefs,
  resolvers,
});
