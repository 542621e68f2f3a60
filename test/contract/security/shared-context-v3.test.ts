import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sender } from '../../support/v3-server.ts';
import { ApolloServer } from '../../../src/entries/v3.ts';

class Session {
  user: string | undefined;
}

test('version 3: what an operation writes to a context that all share is not seen by the next, nor by the next element of a batch', async () => {
  for (const shared of [{ user: undefined }, new Session()]) {
    const server = new ApolloServer({
      typeDefs: 'type Query { me(user: String): String }',
      resolvers: { Query: { me: (_: unknown, { user }: { user: string }, context: Session) => (context.user ??= user) } },
      context: () => shared,
    });
    const send = sender(server.createHandler());
    const ask = (user: string): object => ({ query: `{ me(user: "${user}") }` });

    const answers = [await send({ body: ask('ada') }), await send({ body: ask('bob') }), await send({ body: [ask('cora'), ask('dan')] })];

    assert.deepEqual(
      answers.flatMap(({ body }) => body).map(({ data }) => data.me),
      ['ada', 'bob', 'cora', 'dan'],
    );
  }
});
