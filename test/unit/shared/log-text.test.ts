import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { inspect } from 'node:util';

import { GraphQLError } from 'graphql';

import { sha256 } from '../../../src/shared/sha256.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { post } from '../../support/plain-http.ts';

const forged = 'no user "x\n2026-11-23 INFO all is well\u001b[2J\u0085\u2028"';
const escaped = String.raw`no user "x\n2026-11-23 INFO all is well\u001b[2J\u0085\u2028"`;
let handlers = 0;
const throwing = (thrown: unknown) => (): never => {
  throw thrown;
};
const failing = (thrown: unknown): object => ({
  typeDefs: `type Query { user: String } # ${(handlers += 1)}`,
  resolvers: { Query: { user: throwing(thrown) } },
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

  const code = <T extends Error>(error: T, more: object = {}): T => Object.assign(error, { code: 'E_USER' }, more);
  const errors: Readonly<Record<string, unknown>> = {
    'an error': code(new Error(forged)),
    'a cause': new Error('Not found', { cause: code(new TypeError(forged)) }),
    'a wrapped error': new GraphQLError(forged, { originalError: code(new Error(forged)) }),
    'an error of 16,000 characters': new Error(`E_USER ${forged}${'.\n2026-11-23 INFO'.repeat(1000)}`),
    'errors in an error': new AggregateError([code(new Error(forged))], 'All have failed'),
    'an error in a property': code(new Error('Not found'), { inner: { error: new Error(forged) } }),
    'a text in a property': code(new Error('Not found'), { body: forged }),
    'a name': code(new Error('Not found'), { name: forged }),
    'an error whose message was changed': changed(code(new Error(forged))),
    'no error': { code: 'E_USER', body: [forged], file: 'log-text.test.ts' },
  };
  for (const [name, thrown] of Object.entries(errors)) {
    it(`cannot forge a line or move the cursor when the console prints ${name}`, async (t) => {
      const printed = printedLines(t);

      await createEndpoint({ ...failing(thrown), logger: console }).send(post({ query: '{ user }' }));

      assertHarmless(printed.join('\n'));
      assert.match(printed.join('\n'), /E_USER[^]*log-text\.test\.ts|log-text\.test\.ts[^]*E_USER/);
    });
  }

  const fails = throwing(new Error(forged));
  const query = { typeDefs: 'type Query { a: Int }', resolvers: { Query: { a: () => 1 } } };
  const bypasses: Readonly<Record<string, object>> = {
    waitUntil: {
      ...query,
      context: ({ waitUntil }: { waitUntil: (work: Promise<unknown>) => void }) => waitUntil(Promise.reject(new Error(forged))) ?? {},
    },
    'cors.origin': { ...query, cors: { origin: fails } },
    'the store of the cache': { ...query, cache: { get: fails, set: fails, delete: fails } },
    serverWillStart: { ...query, plugins: [{ serverWillStart: fails }] },
    'a plugin that logs': {
      ...query,
      plugins: [{ requestDidStart: ({ logger }: { logger: Console }) => logger.warn(forged, new Error(forged)) }],
    },
  };
  for (const [name, options] of Object.entries(bypasses)) {
    it(`cannot forge a line in what is logged about ${name}`, async (t) => {
      const printed = printedLines(t);
      const body = { query: '{ a }', extensions: { persistedQuery: { version: 1, sha256Hash: sha256('{ a }') } } };

      await createEndpoint({ logger: console, ...options }).send(post(body, { headers: [['origin', 'https://a.example']] }));

      assertHarmless(printed.join('\n'));
    });
  }

  it('cannot forge a line when a copy of the console prints it', async (t) => {
    const printed = printedLines(t);

    await createEndpoint({ ...failing(new Error(forged)), logger: { ...console, debug: () => {} } }).send(post({ query: '{ user }' }));

    assertHarmless(printed.join('\n'));
  });
});

/** The stack is made when it is first read, with the message of that moment. */
function changed(error: Error): Error {
  assert.ok(error.stack);
  error.message = 'Not found';
  return error;
}

/** What the console would print. */
function printedLines(t: TestContext): string[] {
  const printed: string[] = [];
  const print = (...line: unknown[]): void =>
    void printed.push(line.map((one) => (typeof one === 'string' ? one : inspect(one))).join(' '));
  for (const level of ['debug', 'info', 'warn', 'error'] as const) t.mock.method(console, level, print);
  return printed;
}

function assertHarmless(text: string): void {
  assert.ok(text.replaceAll('\\\\', '\\').includes(escaped), text);
  assert.doesNotMatch(text, /^\W*2026/m);
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\u001b\u0085\u2028]/);
}
