import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { inlineTraces, subgraph } from '../../../../src/entries/subgraph.ts';
import { ApolloServer } from '../../../../src/entries/v3.ts';
import { httpAPIEvent } from '../../../support/events.ts';
import { linkTo, silent } from './serving.ts';

const typeDefs = `${linkTo('v2.9', '@key')} type Query { user: String } type User @key(fields: "id") { id: ID! name: String }`;

function serve(options: object, context: any = ({ event, express }: any) => ({ path: event.rawPath, host: express.req.headers.host })) {
  const server = new ApolloServer({
    nodeEnv: 'production',
    logger: silent,
    ...subgraph({
      typeDefs,
      context,
      resolvers: {
        Query: { user: (_: unknown, _args: unknown, { path }: any) => path },
        User: { __resolveReference: ({ id }: any, { path }: any) => ({ id, name: `${id} at ${path}` }) },
      },
      ...options,
    }),
  });
  const handler = server.createHandler();
  return async (query: string, headers = {}) => {
    const fields = Object.entries({ 'content-type': 'application/json', host: 'x.test', ...headers });
    const event = httpAPIEvent({ method: 'POST', path: '/graphql', query: '', headers: fields, body: JSON.stringify({ query }) });
    const { statusCode, body } = (await handler(event, {} as never, () => {})) as { statusCode: number; body: string };
    return { statusCode, body: JSON.parse(body) };
  };
}

describe('a subgraph of version 3', () => {
  it('answers _service and _entities, with its context', async () => {
    const ask = serve({});

    deepEqual((await ask('{ _service { sdl } }')).body.data, { _service: { sdl: typeDefs } });
    const { body } = await ask(
      '{ user _entities(representations: [{ __typename: "User", id: "1" }, { __typename: "Nobody" }]) { ... on User { name } } }',
    );
    match(body.data._entities[0].name, /^1 at \//);
    equal(body.data._entities[1], null);
    deepEqual(body.errors[0].path, ['_entities', 1]);
  });

  it('does not start with routerSecret, which it would not check', () => {
    throws(() => serve({ routerSecret: { secrets: () => ['open'] } }), /has the hook request, which the servers of version 3 do not call/);
  });

  it('does not start with traces', () => {
    throws(() => serve({ traces: inlineTraces() }), /has the hook operation, which the servers of version 3 do not call/);
  });
});
