import { createHandler } from 'graphql-functions/fetch';

import type { WebContestant } from '../event.ts';

export const create: WebContestant = ({ typeDefs, resolvers }) => {
  const handler = createHandler({ csrfPrevention: true, typeDefs, resolvers });
  return async (request) => ({ statusCode: 200, body: await (await handler.fetch(request)).text() });
};
