import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../src/entries/index.ts';
import { DataSource } from '../../src/entries/datasource.ts';
import type { ServerPlugin } from '../../src/server/operation/plugin.ts';
import { deferred } from '../support/deferred.ts';
import { json, post } from '../support/plain-http.ts';
import type { PlainRequest } from '../support/plain-http.ts';
import { createRandom } from '../support/random.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { sources } from '../support/sources.ts';

const concurrency = 64;

/** A data source that returns the user of its context after some turns. */
class WhoAmI extends DataSource<{ user: string }> {
  answer = async (): Promise<string> => (await turns(1 + (this.context.user.length % 3)), this.context.user);
}

/** Waits for this number of turns of the event loop, so that other operations run. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Creates a server in which no operation ends before all have started. */
function meetingServer(meetings: number): { handler: ReturnType<typeof createHandler>; seen: Map<string, Set<string>> } {
  const everybody = deferred();
  let present = 0;
  const meet = async (): Promise<void> => {
    if (++present === meetings) everybody.resolve();
    await everybody.promise;
  };
  const seen = new Map<string, Set<string>>();
  const note = (user: string, name: string | null): void => void (seen.get(user) ?? seen.set(user, new Set()).get(user))?.add(String(name));
  const watching: ServerPlugin<{ user: string }> = {
    requestDidStart: async ({ contextValue: { user }, request }) => {
      note(user, request.http?.headers.get('x-user') ?? null);
      await turns(2);
      return {
        didResolveOperation: ({ contextValue }) => note(user, contextValue.user),
        willSendResponse: async ({ contextValue, response }) => {
          await turns(1);
          note(user, contextValue.user);
          response.http.headers.set('x-answer-for', user);
          response.http.headers.append('set-cookie', `user=${user}`);
        },
      };
    },
  };
  const handler = createHandler({
    logger: recordingLogger()[0],
    context: async ({ request }) => (await turns(1), { user: request.headers.get('x-user') ?? 'nobody' }),
    dataSources: () => ({ whoAmI: new WhoAmI() }),
    plugins: [watching],
    typeDefs: 'type Query { early: String!, late: String!, source: String!, name(user: String!): String! }',
    resolvers: {
      Query: {
        early: (_, _arguments, { user }) => user,
        late: async (_, _arguments, { user }) => (await meet(), await turns(user.length % 5), user),
        source: (_, _arguments, { dataSources }) => dataSources.whoAmI.answer(),
        name: (_, { user }) => user,
      },
    },
  });
  return { handler, seen };
}

function requestOf(user: string): PlainRequest {
  return post(
    { query: 'query ($user: String!) { early late source name(user: $user) }', variables: { user } },
    { headers: [['X-User', user]] },
  );
}

test(`${concurrency} concurrent events of all sources share no context, data source, variables, headers or cookies`, async () => {
  const { handler, seen } = meetingServer(concurrency);
  const random = createRandom(64);
  const users = Array.from({ length: concurrency }, (_, at) => `user-${at}-${'x'.repeat(random.below(7))}`);

  const answers = await Promise.all(
    users.map(async (user, at) => {
      const source = sources[at % sources.length]!;
      return source.read(await handler(source.build(requestOf(user)) as object, {}));
    }),
  );

  users.forEach((user, at) => {
    const answer = answers[at]!;
    assert.deepEqual(json(answer), { data: { early: user, late: user, source: user, name: user } });
    assert.equal(answer.headers.get('x-answer-for'), user);
    assert.deepEqual(answer.setCookies, [`user=${user}`]);
    assert.deepEqual(seen.get(user), new Set([user]));
  });
});

test('operations of a batch share the request but not the context', async () => {
  const contexts = new Set<unknown>();
  const handler = createHandler({
    context: () => ({ user: 'ada' }),
    dataSources: () => ({ whoAmI: new WhoAmI() }),
    typeDefs: 'type Query { note: Boolean! }',
    resolvers: { Query: { note: (_, _arguments, context) => (contexts.add(context).add(context.dataSources.whoAmI), true) } },
  });
  const [source] = sources;

  await handler(source!.build(post(Array.from({ length: 5 }, () => ({ query: '{ note }' })))) as object, {});

  assert.equal(contexts.size, 10);
});
