import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import type { GraphQLSchema } from 'graphql';

import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { constant, serverWith } from '../../../support/careless-server.ts';
import { cases } from '../../../support/long-form.ts';
import { newUsers, sendTogether } from '../../../support/many-users.ts';
import { plainRequest, post } from '../../../support/plain-http.ts';
import type { PlainRequest } from '../../../support/plain-http.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { frontDoors } from '../../../support/sources.ts';
import { Witness } from '../../../support/witness.ts';

const rounds = cases({ short: 1, long: 12 });
const seed = Number(process.env['SEED'] ?? 5);

/** Every way in which a resolver gets a value: literals, variables, and defaults of variables, arguments and input fields. */
const operations: readonly string[] = [
  '{ me session }',
  '{ items { id tags owner { name tags } } }',
  '{ items(filter: { inner: {} }, any: { x: [1] }) { id tags(filter: { any: [1] }) } }',
  'query ($f: Filter) { items(filter: $f) { id tags(filter: $f) owner { name } } }',
  'query ($f: Filter = { tags: ["v"] }, $any: Any = { v: [1] }) { items(filter: $f, any: $any) { id } thing(any: $any) { ... on Node { id tags(filter: $f) } } }',
  'query ($l: [Filter!] = [{ inner: { names: ["q"] } }, {}]) { nodes(filters: $l) { __typename id tags } }',
  'query ($order: Order = DOWN, $names: [String] = ["w"]) { items(filter: { order: $order, inner: { names: $names } }) { ...I } } fragment I on Item { id tags(filter: { inner: { names: $names } }) fails }',
  'query ($text: String, $any: Any) { echo(text: $text, any: $any, filter: {}) thing(any: [$any, { x: $any }]) { __typename } }',
  'query ($on: Boolean = true) { me @include(if: $on) items { id @skip(if: $on) fails owner { tags } } }',
  '{ me fails refuses root }',
  '{ items { ... @defer { id tags owner { ... @defer { name tags } } } } }',
  'query ($f: Filter = { tags: ["v"] }) { items @stream(initialCount: 1) { id tags(filter: $f) } }',
  'mutation ($text: String) { write(text: $text) again: write(filter: { any: { z: [] } }) }',
  'subscription { ticks }',
  'subscription ($f: Filter = { tags: ["sv"] }, $any: Any = [1]) { ticks(filter: $f, any: $any) }',
  '{ unknown }',
  '{ me ',
  'query ($n: Filter!) { items(filter: $n) { id } }',
  '{ __typename odd }',
  'query ($odd: Odd = {}) { odd(odd: $odd) }',
  'query ($odds: [Odd]) { odd(odd: {}, odds: $odds) }',
  'query A { me } query B { session }',
];

const accepts = [
  'application/json',
  '*/*',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed, application/json',
  'multipart/mixed;deferSpec=20220824',
];

function requestOf(random: Random, user: string): PlainRequest {
  const operation = (): Record<string, unknown> => {
    const query = random.pick(operations);
    const variables = random.pick<object | undefined>([
      undefined,
      {},
      { text: user },
      { f: { tags: [user] }, any: { of: [user] } },
      { f: {}, l: [{}], odd: {}, odds: [{}] },
      { n: 1 },
    ]);
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    return {
      ...(random.chance(0.9) && { query }),
      ...(variables !== undefined && { variables }),
      ...(random.chance(0.3) && { extensions: random.pick<object>([{}, { of: user }, { persistedQuery: { version: 1, sha256Hash } }]) }),
      ...(query.includes('query A') && { operationName: random.pick(['A', 'B']) }),
    };
  };
  const headers: [string, string][] = [
    ['x-user', user],
    ['accept', random.pick(accepts)],
    ['vendor-require-preflight', '1'],
  ];
  if (random.chance(0.2)) {
    const parameters = Object.entries(operation()).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    return plainRequest({ query: new URLSearchParams(parameters).toString(), headers });
  }
  const body = random.chance(0.25) ? Array.from({ length: 1 + random.below(3) }, operation) : operation();
  return plainRequest({ method: 'POST', body: JSON.stringify(body), headers: [...headers, ['content-type', 'application/json']] });
}

// Over node:http, a call has another asynchronous context; test/real/runtimes/node.test.ts tests it.
for (const [place, door] of frontDoors.filter(({ name }) => name !== 'node:http').entries()) {
  test(`functions of the user get no object or string from another call: ${door.name}`, async () => {
    for (let round = 0; round < rounds; round++) {
      const random = createRandom(seed * 10_000 + place * 100 + round);
      const witness = new Witness();
      const options = serverWith(witness, random);
      let schema: GraphQLSchema | undefined;
      let cache: unknown;
      let logger: unknown;
      const serverWillStart = (start: any): void => void ({ schema, cache, logger } = start);
      const open = door.open({ ...options, plugins: [...(options.plugins ?? []), { serverWillStart }] } as ServerOptions);
      try {
        await open.send(post({ query: '{ __typename }' }));
        witness.knows([schema, options, options.cache, cache, logger, constant]);

        const sent = newUsers(40).map((user) => ({ user, request: requestOf(random, user) }));
        for (const half of [sent.slice(0, 20), sent.slice(20)]) {
          const { answers, mixed } = await sendTogether(half, (request) => open.send(request));
          for (const one of mixed) witness.problems.add(one);
          if (answers.some(({ headers }) => !headers.get('cache-control')?.includes('no-store')))
            witness.problems.add('an answer may be stored');
        }

        if (witness.problems.size > 0)
          console.log(JSON.stringify({ nodeEnv: options.nodeEnv, executor: options.executor, root: typeof options.rootValue }), [
            ...witness.problems,
          ]);
        assert.ok(witness.problems.size === 0, `seed ${seed}, round ${round}`);
      } finally {
        await open.close();
      }
    }
  });
}
