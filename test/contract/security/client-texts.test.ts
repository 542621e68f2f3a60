import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLScalarType, getLocation, parse, versionInfo } from 'graphql';

import { createHandler } from '../../../src/entries/index.ts';
import { json, post } from '../../support/plain-http.ts';
import type { PlainResponse } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { httpAPI } from '../../support/sources.ts';

const same = (value: unknown): unknown => value;
const JSONScalar = new GraphQLScalarType({
  name: 'JSON',
  parseValue: same,
  ...(versionInfo.major >= 17 && { coerceInputValue: same, coerceInputLiteral: () => null }),
} as never);
const handler = createHandler({
  typeDefs: `
    scalar JSON
    enum E { ONE TWO }
    type Query { sum(e: E, n: [Int!]): Int json(value: JSON): String fail: String }
  `,
  resolvers: { JSON: JSONScalar, Query: { json: () => 'j', fail: () => Promise.reject(new Error('broken')) } } as never,
  nodeEnv: 'production',
  logger: recordingLogger()[0],
});
const send = async (body: object): Promise<PlainResponse> => httpAPI.read(await handler(httpAPI.build(post(body)) as never, {} as never));

describe('a text of a client that a message quotes', () => {
  // The patterns that the server looks for in messages of graphql-js.
  for (const words of [' Did you mean ', ', but encountered error "', ', found ', 'Expected type "a". ', '?'])
    for (const query of ['query ($v: E) { sum(e: $v) }', 'query ($v: [Int!]) { sum(n: $v) }'])
      it(`is read by no regular expression beyond its first characters: ${JSON.stringify(words)} in ${query}`, async (t) => {
        const v = words.repeat(40_000 / words.length);
        const read: string[] = [];
        const { exec } = RegExp.prototype;
        t.mock.method(RegExp.prototype, 'exec', function record(this: RegExp, text: string) {
          if (String(text).length > 20_000 && String(text).includes(words)) read.push(this.source);
          return Reflect.apply(exec, this, [text]);
        });

        const response = await send({ query, variables: { v } });

        t.mock.restoreAll();
        assert.ok(response.status >= 400);
        assert.deepEqual([...new Set(read)], []);
      });
});

it('a variable inside a literal counts by its size, once for each field that copies it', { skip: versionInfo.major < 17 }, async () => {
  const aliases = Array.from({ length: 1200 }, (_, at) => `a${at}: json(value: [$j])`).join(' ');
  const variables = { j: Array.from({ length: 40_000 }, () => 1) };

  const [error] = json(await send({ query: `query ($j: JSON) { ${aliases} }`, variables })).errors;

  assert.equal(error.extensions.code, 'RESULT_TOO_LARGE');
});

it('the lines of a document are read once for the locations of all errors', async (t) => {
  const query = `{${'\n'.repeat(12_000)}${Array.from({ length: 300 }, (_, at) => `f${at}: fail\r\n`).join('')}}`;
  let searches = 0;
  const { matchAll } = String.prototype;
  t.mock.method(String.prototype, 'matchAll', function count(this: string, pattern: RegExp) {
    if (this.length > 10_000) searches++;
    return Reflect.apply(matchAll, this, [pattern]);
  });

  const { errors } = json(await send({ query }));

  t.mock.restoreAll();
  const { loc } = parse(query);
  const locations = Array.from({ length: 300 }, (_, at) => getLocation(loc!.source, query.indexOf(`f${at}:`)));
  assert.deepEqual(
    errors.map((error: { locations: unknown[] }) => error.locations[0]),
    locations,
  );
  assert.ok(searches <= 2, `${searches} searches`);
});
