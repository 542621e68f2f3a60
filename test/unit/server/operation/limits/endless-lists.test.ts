import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { versionInfo } from 'graphql';

import { createHandler } from '../../../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../../../src/entries/incremental.ts';
import { webRequest } from '../../../../support/events.ts';
import { post } from '../../../../support/plain-http.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

let closed: string[] = [];

function* numbers(): Generator {
  try {
    for (;;) yield 1;
  } finally {
    closed.push('numbers');
  }
}

async function* later(): AsyncGenerator {
  try {
    for (;;) yield 1;
  } finally {
    closed.push('later');
  }
}

const lists = {
  numbers,
  later,
  nulls: function* nulls(): Generator {
    for (;;) yield null;
  },
  unclosable: () => ({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }),
};

// A resolver may return an infinite list for clients that stream it. Other clients may request it without streaming.
describe('an infinite list', () => {
  for (const name of Object.keys(lists) as (keyof typeof lists)[]) {
    const skip = name === 'later' && versionInfo.major < 17 && 'graphql 16 has no asynchronous lists';

    it(`is an error of the client, in the first part or in a deferred one: ${name}`, { skip }, async () => {
      closed = [];
      const fetch = serve();

      const answers = await Promise.all([fetch(`{ ${name} }`), fetch(`{ ${name} ... @defer { name } }`)]);

      for (const answer of answers) deepEqual([answer.status, await codeOf(answer)], [400, 'RESULT_TOO_LARGE']);
      if (name === 'numbers' || name === 'later') deepEqual(closed, [name, name]);
    });

    it(`is closed when nothing waits for it: ${name}`, { skip }, async () => {
      const answer = await serve()(`{ name self { ${name} strict } }`);

      equal(answer.status < 500, true);
    });
  }
});

function serve(): (query: string) => Promise<Response> {
  const strict = (): never => {
    throw new Error('not this');
  };
  const { fetch } = createHandler({
    nodeEnv: '',
    logger: recordingLogger()[0],
    maxResultBytes: 100_000,
    incrementalDelivery: incrementalDelivery(),
    typeDefs: 'type Query { numbers: [Int] nulls: [Int] later: [Int] unclosable: [Int] strict: Int! self: Query name: String }',
    resolvers: { Query: { ...lists, strict, self: () => ({}), name: () => 'name' } as never },
  });
  const headers: [string, string][] = [['accept', 'multipart/mixed;incrementalSpec=v0.2, application/json']];
  return (query) => fetch(webRequest(post({ query }, { headers })));
}

async function codeOf(response: Response): Promise<unknown> {
  const { errors } = (await response.json()) as { errors: { extensions: { code: unknown } }[] };
  return errors[0]?.extensions.code;
}
