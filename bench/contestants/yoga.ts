import { createSchema, createYoga } from 'graphql-yoga';

import type { Contestant } from '../event.ts';

/** GraphQL Yoga 5 with the event conversion that its documentation gives for AWS Lambda; batches allowed. */
export const create: Contestant = ({ typeDefs, resolvers }) => {
  const yoga = createYoga({
    schema: createSchema({ typeDefs, resolvers: resolvers as never }),
    batching: { limit: 10 },
    logging: false,
    graphiql: false,
    landingPage: false,
  });
  return async (event, context) => {
    const url = new URL(event.rawPath, `https://${event.requestContext.domainName}`);
    url.search = event.rawQueryString;
    const response = await yoga.fetch(
      url.href,
      {
        method: event.requestContext.http.method,
        headers: event.headers,
        body: event.body ? Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8') : undefined,
      },
      { event, context },
    );
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers.entries()),
      body: await response.text(),
      isBase64Encoded: false,
    };
  };
};
