import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../src/entries/index.ts';
import type { ServerPlugin } from '../../src/server/operation/plugin.ts';
import { json, post } from '../support/plain-http.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { sources } from '../support/sources.ts';

/** Yields every plain object that can be reached from a value. */
function* plainObjectsIn(value: unknown, seen = new Set<unknown>()): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value) as unknown[]) yield* plainObjectsIn(inner, seen);
}

/** Marks every reachable object, and returns whether one was already marked. */
function mark(...reachable: unknown[]): boolean {
  let wasMarked = false;
  for (const value of reachable) {
    for (const one of plainObjectsIn(value)) {
      wasMarked ||= 'markOfElement' in one;
      if (Object.isExtensible(one)) one['markOfElement'] = true;
    }
  }
  return wasMarked;
}

for (const source of sources) {
  test(`platform objects changed by one batch element's hooks are unchanged for the others: ${source.name}`, async () => {
    const plugin: ServerPlugin<{ saw: boolean }> = {
      requestDidStart: ({ request, response, contextValue }) => {
        contextValue.saw ||= request.http!.headers.has('x-plugin') || response.http.status === 418;
        request.http!.headers.set('x-plugin', '1');
      },
    };
    const handler = createHandler({
      logger: recordingLogger()[0],
      context: ({ request, response, event, context }) => {
        const head = request.headers.has('x-user') || response.headers.has('x-user');
        request.headers.set('x-user', 'alice');
        response.headers.set('x-user', 'alice');
        return { saw: mark(event, context, request) || head };
      },
      plugins: [plugin],
      typeDefs: `type Query { saw: Boolean! } # batch ${source.name}`,
      resolvers: { Query: { saw: (_parent, _arguments, { saw }) => saw } },
    });

    const batch = post([{ query: '{ saw }' }, { query: '{ saw }' }, { query: '{ saw }' }]);
    const answer = await source.read(await handler(source.build(batch) as object, { functionName: 'graphql', nested: {} }));

    assert.deepEqual(json(answer), [{ data: { saw: false } }, { data: { saw: false } }, { data: { saw: false } }]);
  });
}
