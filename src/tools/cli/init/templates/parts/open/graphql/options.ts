import type { ServerOptions } from 'graphql-functions';

import { resolvers } from './resolvers.ts';
import { typeDefs } from './schema.ts';

export const options = {
  csrfPrevention: true,
  // A list has 20 items if the client does not say how many, and at most 100.
  pageLimits: { default: 20, max: 100 },
  typeDefs,
  resolvers,
} satisfies ServerOptions;
