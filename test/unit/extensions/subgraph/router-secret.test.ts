import { deepEqual, equal, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildSchema } from 'graphql';

import { createHandler } from '../../../../src/entries/index.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import type { RouterSecret } from '../../../../src/entries/subgraph.ts';
import { silent } from './serving.ts';

const typeDefs = 'type Query { ok: Boolean }';

/** Sends requests to one subgraph. Counts the calls of `context`. */
function serve(routerSecret: RouterSecret, plugins: readonly ServerPlugin[] = []) {
  let contexts = 0;
  const context = (): object => ({ call: ++contexts });
  const handler = createHandler(subgraph({ typeDefs, context, routerSecret, plugins, logger: silent, nodeEnv: 'production' }));
  return async (headers: Readonly<Record<string, string>>, body = '{"query":"{ ok }"}') => {
    const fields = { 'content-type': 'application/json', ...headers };
    const response = await handler.fetch(new Request('https://x.test/graphql', { method: 'POST', body, headers: fields }));
    return { status: response.status, answer: (await response.json()) as any, contexts };
  };
}

describe('routerSecret', () => {
  it('lets through requests with one of its secrets', async () => {
    const secrets = (): string[] => ['old', 'new'];

    for (const secret of secrets())
      deepEqual(await serve({ secrets })({ 'x-router-secret': secret }), { status: 200, answer: { data: { ok: null } }, contexts: 1 });
    equal((await serve({ secrets, header: 'X-Mine' })({ 'x-mine': 'new' })).status, 200);
  });

  for (const given of [undefined, '', 'ne', 'neww', 'wen', 'xld', 'olx', 'old,new', 'oldold']) {
    it(`refuses ${given === undefined ? 'a missing one' : JSON.stringify(given)} with 401, before context and the body`, async () => {
      const send = serve({ secrets: () => ['old', 'new'] });

      const { status, answer, contexts } = await send(given === undefined ? {} : { 'x-router-secret': given }, 'no JSON');

      equal(status, 401);
      equal(answer.errors[0].extensions.code, 'UNAUTHENTICATED');
      equal(answer.errors[0].message, 'Expected the secret of the router in the header x-router-secret.');
      equal(contexts, 0);
    });
  }

  for (const position of [undefined, 'first'] as const)
    for (const onlyWatches of [false, true])
      it(`is checked before any plugin sees the request: ${JSON.stringify({ position, onlyWatches })}`, async () => {
        let seen = 0;
        const request: ServerPlugin['request'] = (_call, next) => (seen++, next());
        const send = serve({ secrets: () => ['a'] }, [{ position, onlyWatches, request: request! }]);

        const { status } = await send({ 'x-router-secret': 'b' });

        deepEqual([status, seen], [401, 0]);
      });

  it('is not needed by health checks and direct invocations', async () => {
    const handler = createHandler(subgraph({ typeDefs, routerSecret: { secrets: () => ['a'] }, nodeEnv: 'production' }));

    equal((await handler.fetch(new Request('https://x.test/graphql/health'))).status, 200);
    deepEqual(await handler({ query: '{ ok }' }), { data: { ok: null } });
  });

  it('reads the secrets for every request, and refuses all when there is none', async () => {
    let list = ['first'];
    const send = serve({ secrets: () => list });

    const statuses = [(await send({ 'x-router-secret': 'first' })).status];
    for (const [given, secret] of [
      [['second'], 'first'],
      [['second'], 'second'],
      [[], ''],
      [[''], ''],
    ] as const) {
      list = [...given];
      statuses.push((await send({ 'x-router-secret': secret })).status);
    }

    deepEqual(statuses, [200, 401, 200, 401, 401]);
  });

  it('runs before every other plugin', async () => {
    let calls = 0;
    const plugin: ServerPlugin = { position: 'first', request: async (_call, next) => (calls++, next()) };

    equal((await serve({ secrets: () => ['a'] }, [plugin])({})).status, 401);
    equal(calls, 0);
  });

  it('is refused at start by other servers with plugins, which would not check it', () => {
    const [plugin] = subgraph({ typeDefs, routerSecret: { secrets: () => ['a'] } }).plugins;

    throws(
      () => plugin.serverWillStart({ schema: buildSchema('type Query { ok: Boolean }'), logger: silent }),
      /would not check routerSecret/,
    );
  });
});
