import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import type { ContextArgument, ServerPlugin } from '../../../../src/entries/index.ts';
import { before } from '../../../support/stages.ts';

/** The argument of `context` for one request, with the result of `read`. */
async function argumentOf(read: (argument: ContextArgument) => unknown, plugins: ServerPlugin[] = []): Promise<unknown> {
  let seen: unknown;
  const context = (argument: ContextArgument): object => {
    seen = read(argument);
    return {};
  };
  const { fetch } = createHandler({ typeDefs: 'type Query { hello: String }', context, plugins, nodeEnv: 'production' } as never);
  const request = new Request('https://api.example/?query={hello}');
  await fetch(request, { name: 'env' }, { name: 'context' });
  return seen;
}

/** The same invocation as another object. */
const view: ServerPlugin = {
  request: before((call) => {
    const { invocation } = call;
    const { event, context, env } = invocation;
    return {
      ...call,
      invocation: {
        event,
        context,
        env,
        get signal() {
          return invocation.signal;
        },
        waitUntil: (work) => invocation.waitUntil(work),
        deadlineLeft: () => invocation.deadlineLeft(),
      },
    };
  }),
};
const members = ['request', 'response', 'event', 'context', 'env', 'waitUntil', 'signal'];

for (const [name, plugins] of [
  ['the argument of context', []],
  ['the argument of context, where a plugin has a view of requests', [view]],
] as const)
  describe(name, () => {
    const read = (reading: (argument: ContextArgument) => unknown): Promise<unknown> => argumentOf(reading, [...plugins]);

    test('has all members, also in a spread copy and in rest properties', async () => {
      const kinds = (argument: object): unknown[] => members.map((member) => typeof (argument as Record<string, unknown>)[member]);

      const [argument, copy, rest] = (await read((given) => {
        const { request: _request, ...others } = given;
        return [kinds(given), kinds({ ...given }), kinds(others)];
      })) as unknown[][];

      const expected = ['object', 'object', 'object', 'object', 'object', 'function', 'object'];
      assert.deepEqual([argument, copy, rest], [expected, expected, ['undefined', ...expected.slice(1)]]);
    });

    test('can be frozen, and is complete then', async () => {
      const frozen = await read((argument) => {
        const { env, context } = Object.freeze(argument);
        return { env, context };
      });

      assert.deepEqual(frozen, { env: { name: 'env' }, context: { name: 'context' } });
    });
  });
