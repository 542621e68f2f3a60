import { limits } from 'graphql-functions/limits';
import { subgraph } from 'graphql-functions/subgraph';

import type { Context } from './context.ts';
import { resolvers } from './resolvers.ts';
import { routerSecret } from './router-secret.ts';
import { typeDefs } from './schema.ts';

export const options = subgraph({
  // Not trusted documents: the router writes the operations that it sends. Let the router accept only those of your clients.
  routerSecret,
  csrfPrevention: true,
  // A list has 20 items if the router does not say how many, and at most 100.
  plugins: [limits({ pageLimits: { default: 20, max: 100 } })],
  context: ({ request }): Context => ({ language: request.headers.get('accept-language')?.slice(0, 2) ?? 'en' }),
  typeDefs,
  resolvers,
});
