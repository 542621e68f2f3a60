import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { RESTDataSource as RESTDataSourceOfVersion3 } from '../../../src/entries/v3/datasource-rest.ts';
import { Operations } from '../../support/datasources/api.ts';

/** Objects that an application creates once and changes for each user. */
interface Given {
  readonly headers: Headers | Record<string, string>;
  readonly params: URLSearchParams | Record<string, string>;
  readonly body: { filter: { of: string[] }; user?: string };
}

const kinds: Readonly<Record<string, () => Given>> = {
  'plain objects': () => ({ headers: {}, params: {}, body: { filter: { of: [] } } }),
  'objects of the platform': () => ({ headers: new Headers(), params: new URLSearchParams(), body: { filter: { of: [] } } }),
};

const hooks: Readonly<Record<string, () => void | Promise<void>>> = {
  immediately: () => {},
  'after a turn': () => new Promise((resolve) => setImmediate(resolve)),
};

function fill({ headers, params, body }: Given, user: string): void {
  if (headers instanceof Headers) headers.set('authorization', user);
  else headers['authorization'] = user;
  if (params instanceof URLSearchParams) params.set('user', user);
  else params['user'] = user;
  body.user = user;
}

/** Responds with everything in the request. */
async function echo(request: Request): Promise<Response> {
  const sent = [request.url, request.headers.get('authorization'), request.headers.get('x-hook'), await request.text()];
  return Response.json(sent.join(' '), { headers: { 'cache-control': 'max-age=60' } });
}

const users = ['alice', 'bob', 'carol'];

for (const [kind, createGiven] of Object.entries(kinds))
  for (const [when, hook] of Object.entries(hooks))
    describe(`${kind} that are changed for each user, with a hook that ends ${when}`, () => {
      const { begin } = new Operations('http://api.test/');
      const writeHook = (request: any, user: string): void | Promise<void> => {
        request.headers.set('x-hook', user);
        request.body?.filter.of.push(user);
        return hook();
      };

      for (const method of ['GET', 'POST'] as const)
        it(`apply to each ${method} as they were when it was called`, async () => {
          const given = createGiven();
          const { headers, params, body } = given;

          const answers = await Promise.all(
            users.map((user) => {
              const api = begin({ httpFetch: echo, willSendRequest: (request) => writeHook(request, user) });
              fill(given, user);
              return api.send('me', { method, params, headers, ...(method === 'POST' && { body }) });
            }),
          );

          const bodyOf = (user: string): string => (method === 'GET' ? '' : JSON.stringify({ filter: { of: [user] }, user }));
          const expected = users.map((user) => `http://api.test/me?user=${user} ${user} ${user} ${bodyOf(user)}`);
          assert.deepEqual(answers.map((answer) => answer.body), expected); // oxfmt-ignore
        });

      it('also in version 3', async () => {
        class OfVersion3 extends RESTDataSourceOfVersion3 {
          override baseURL = 'http://api.test/';
          override async willSendRequest(request: any): Promise<void> {
            await writeHook(request, this.context.user);
          }
          read = (given: Given): Promise<string> => this.get('me', given.params, { headers: given.headers });
          write = (given: Given): Promise<string> => this.post('me', given.body, { headers: given.headers });
        }
        const given = createGiven();

        const answers = await Promise.all(
          users.map(async (user) => {
            const api = new OfVersion3(echo);
            void api.initialize({ context: { user }, cache: new Map() as never });
            fill(given, user);
            return (await Promise.all([api.read(given), api.write(given)])).join(' ');
          }),
        );

        for (const [at, user] of users.entries())
          for (const other of users) assert.equal(answers[at]!.includes(other), other === user, answers[at]);
        assert.ok(!JSON.stringify([...new Headers(given.headers)]).includes('x-hook'));
        assert.deepEqual(given.body.filter.of, []);
      });
    });
