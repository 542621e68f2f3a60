import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildSchema, versionInfo } from 'graphql';

import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { createTester } from '../../../src/entries/testing.ts';
import type { Tester } from '../../../src/entries/testing.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const typeDefs = 'type Query { a: Int b: Int! } type Subscription { ticks: Int broken: Int }';
const isGraphQL17 = versionInfo.major >= 17;

function serve(options: Partial<ServerOptions> = {}): Tester {
  const resolvers = { Query: { a: () => 1, b: () => null } };
  return createTester({ logger: recordingLogger()[0], typeDefs, resolvers, executor: graphqlJSExecutor(), ...options });
}

describe('graphqlJSExecutor() is an error at start', () => {
  for (const [what, options, message] of [
    ['with incrementalDelivery', { incrementalDelivery: incrementalDelivery() }, /without the option `incrementalDelivery`/],
    ['with deadline.partial', { deadline: { partial: 'NULL' } }, /without the option `deadline\.partial`/],
  ] as [string, Partial<ServerOptions>, RegExp][])
    test(what, () => throws(() => serve(options), message));

  test('with a schema that defines @defer, on graphql 17', { skip: !isGraphQL17 && 'graphql-js 16 ignores the directive' }, () => {
    const schema = buildSchema(
      'directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT type Query { a: Int }',
    );

    throws(
      () => serve({ schema, typeDefs: undefined as never, resolvers: undefined as never }),
      /without a schema that defines @defer or @stream/,
    );
  });
});

test('graphqlJSExecutor() supports onError NULL with graphql 17, and refuses it with 16', async () => {
  const { data, errors } = await serve().run('{ a b }', {}, { onError: 'NULL' });

  if (isGraphQL17) deepEqual(data, { a: 1, b: null });
  else match(errors![0]!.message, /supports onError: "NULL" with graphql 17 only/);
});

test('graphqlJSExecutor() runs each event of a subscription, whose source receives the signal of the operation', async () => {
  let closed = false;
  async function* subscribe() {
    try {
      yield* [{ ticks: 1 }, { ticks: 2 }];
    } finally {
      closed = true;
    }
  }
  const tester = serve({ resolvers: { Subscription: { ticks: { subscribe } } } as never });

  const events = [];
  for await (const event of tester.subscribe('subscription { ticks }')) events.push(event);

  deepEqual(events, [{ data: { ticks: 1 } }, { data: { ticks: 2 } }]);
  equal(closed, true);
});
