import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';

import { GraphQLError } from 'graphql';

import { createEndpoint } from '../../support/endpoint.ts';
import { post } from '../../support/plain-http.ts';

const forged = 'no user "x\n2026-11-23 INFO all is well\u001b[2J\u0085\u2028"';
const escaped = String.raw`no user "x\n2026-11-23 INFO all is well\u001b[2J\u0085\u2028"`;
let handlers = 0;
const failing = (thrown: unknown): object => ({
  typeDefs: `type Query { user: String } # ${(handlers += 1)}`,
  resolvers: {
    Query: {
      user: () => {
        throw thrown;
      },
    },
  },
});

describe('a message that quotes a request', () => {
  it('stays on one line of the log, and loggers get the error itself', async () => {
    const thrown = new Error(forged);
    const endpoint = createEndpoint(failing(thrown));

    await endpoint.send(post({ query: '{ user }' }));

    const [{ message, details } = { message: '', details: [] }] = endpoint.lines;
    assert.ok(message.endsWith(escaped), message);
    assert.equal(details[0], thrown);
  });

  const errors: Readonly<Record<string, unknown>> = {
    'an error': Object.assign(new Error(forged), { code: 'E_USER' }),
    'a cause': new Error('Not found', { cause: Object.assign(new TypeError(forged), { code: 'E_USER' }) }),
    'a wrapped error': new GraphQLError(forged, { originalError: Object.assign(new Error(forged), { code: 'E_USER' }) }),
  };
  for (const [name, thrown] of Object.entries(errors)) {
    it(`cannot forge a line or move the cursor when the console prints ${name}`, async (t) => {
      const printed: string[] = [];
      t.mock.method(
        console,
        'error',
        (...line: unknown[]) => void printed.push(line.map((one) => (typeof one === 'string' ? one : inspect(one))).join(' ')),
      );

      await createEndpoint({ ...failing(thrown), logger: console }).send(post({ query: '{ user }' }));

      const [text = ''] = printed;
      assert.ok(text.includes(escaped), text);
      assert.doesNotMatch(text, /^2026/m);
      assert.doesNotMatch(text, /[\u001b\u0085\u2028]/);
      assert.match(text, /E_USER/);
      assert.match(text, /log-text\.test\.ts/);
    });
  }
});
