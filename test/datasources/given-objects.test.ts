import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { DataSourceRequest } from '../../src/datasources/request.ts';
import { RESTDataSource as RESTDataSourceOfVersion3 } from '../../src/entries/v3/datasource-rest.ts';
import { API } from './api.ts';

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

for (const [kind, make] of Object.entries(kinds)) {
  for (const [when, hook] of Object.entries(hooks)) {
    describe(`${kind} reused and changed for each user, with a hook that ends ${when}`, () => {
      class Shared extends API {
        protected override willSendRequest(request: DataSourceRequest): Promise<void> {
          const { user } = this.context as { user: string };
          request.headers.set('x-hook', user);
          (request.body as Given['body'] | undefined)?.filter.of.push(user);
          return Promise.resolve(hook());
        }
      }
      const callAs = async (user: string, given: Given, method: string): Promise<string> => {
        const api = new Shared('http://api.test/', { httpFetch: echo });
        void api.initialize({ context: { user } as never, cache: undefined as never });
        fill(given, user);
        const { headers, params, body } = given;
        return method === 'GET' ? api.read('me', params, { headers }) : api.send('me', { method: 'POST', params, headers, body }).then((answer) => answer.body); // prettier-ignore
      };

      for (const method of ['GET', 'POST']) {
        it(`apply to each ${method} as they were when it was called`, async () => {
          const given = make();

          const told = await Promise.all(users.map((user) => callAs(user, given, method)));

          const body = (user: string): string => (method === 'GET' ? '' : JSON.stringify({ filter: { of: [user] }, user }));
          assert.deepEqual(told, users.map((user) => `http://api.test/me?user=${user} ${user} ${user} ${body(user)}`)); // prettier-ignore
        });
      }

      it('also in version 3', async () => {
        class OfVersion3 extends RESTDataSourceOfVersion3 {
          override baseURL = 'http://api.test/';
          override async willSendRequest(request: any): Promise<void> {
            request.headers.set('x-hook', this.context.user);
            request.body?.filter.of.push(this.context.user);
            await hook();
          }
          read = (given: Given): Promise<string> => this.get('me', given.params, { headers: given.headers });
          write = (given: Given): Promise<string> => this.post('me', given.body, { headers: given.headers });
        }
        const given = make();

        const told = await Promise.all(
          users.map(async (user) => {
            const api = new OfVersion3(echo);
            void api.initialize({ context: { user }, cache: new Map() as never });
            fill(given, user);
            return Promise.all([api.read(given), api.write(given)]);
          }),
        );

        for (const [at, user] of users.entries())
          for (const other of users.filter((one) => one !== user)) assert.ok(!told[at]!.join(' ').includes(other), told[at]!.join(' '));
        assert.ok(!JSON.stringify([...new Headers(given.headers)]).includes('x-hook'));
        assert.deepEqual(given.body.filter.of, []);
      });
    });
  }
}
