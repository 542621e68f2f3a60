import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../src/entries/fetch.ts';
import { HeaderMap } from '../../../src/entries/index.ts';
import { newUsers, sendTogether } from '../../support/many-users.ts';
import { after } from '../../support/stages.ts';

const constant = { data: { me: 'all' }, errors: [{ message: 'later', extensions: { of: {} } }], extensions: { of: {} } };

/** Plugins that return the same response to all users, as for maintenance or rate limits. */
const constants: Readonly<Record<string, () => object>> = {
  request: () => {
    const response = { status: 429, headers: new HeaderMap({ 'content-type': 'application/json' }), body: '{"errors":[]}' };
    return { request: async () => response };
  },
  operation: () => {
    const result = structuredClone(constant);
    const outcome = { result, errors: [], head: { headers: new HeaderMap({ 'x-all': '1' }) }, operation: undefined, source: undefined };
    return { operation: async () => outcome };
  },
  willSendResponse: () => ({
    requestDidStart: () => ({ willSendResponse: ({ response }: any) => void (response.result = constant) }),
  }),
};

for (const [hook, make] of Object.entries(constants)) {
  test(`a response object reused by ${hook} does not carry changes by hooks and CORS to the next user`, async () => {
    const writer = {
      operation: after(({ call }: any, { head, result }: any) => {
        const user = call.request.headers.get('x-user');
        head.headers.append('set-cookie', `operation=${user}`);
        for (const { of } of [result.extensions, ...result.errors.map((error: any) => error.extensions)]) of[user] = user;
      }),
      request: after(({ request }: any, { headers }: any) => {
        headers.append('set-cookie', `user=${request.headers.get('x-user')}`);
        headers.set(`x-${request.headers.get('x-user')}`, '1');
      }),
    };
    const handler = createHandler({
      nodeEnv: 'production',
      cors: { origin: (origin) => origin.endsWith('.test'), credentials: true },
      typeDefs: 'type Query { me: String }',
      plugins: [writer as never, make() as never],
    });

    const sent = newUsers(3).map((user) => ({ user, request: user }));
    const { answers, mixed } = await sendTogether(sent, async (user) => {
      const headers = { 'x-user': user, origin: `https://${user}.test`, 'content-type': 'application/json' };
      const answer = await handler(new Request('https://a.test/', { method: 'POST', headers, body: '{"query":"{ me }"}' }));
      return JSON.stringify([...answer.headers, await answer.text()]);
    });

    assert.deepEqual(mixed, []);
    const cookie = hook === 'request' ? 'user=' : 'operation=';
    answers.forEach((answer, at) => assert.ok(answer.includes(cookie + sent[at]!.user), answer));
  });
}
