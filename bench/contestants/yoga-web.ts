import { createSchema, createYoga } from 'graphql-yoga';

import type { WebContestant } from '../event.ts';

export const create: WebContestant = ({ typeDefs, resolvers }) => {
  const schema = createSchema({ typeDefs, resolvers: resolvers as never });
  const yoga = createYoga({ schema, logging: false, graphiql: false, landingPage: false });
  return async (request) => ({ statusCode: 200, body: await (await yoga.fetch(request)).text() });
};
