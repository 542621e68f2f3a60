import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLScalarType, versionInfo } from 'graphql';

import { createHandler } from '../../../../src/entries/index.ts';
import { createTester } from '../../../../src/entries/testing.ts';

const rows = [1, 2, 3, 4].map((id) => ({ id }));

test('the default of a custom scalar is parsed at most once for all rows of an operation, and no two rows share it', async () => {
  let parsed = 0;
  const seen: unknown[] = [];
  const parse = (): object => ({ parsed: ++parsed });
  const Config = new GraphQLScalarType({
    name: 'Config',
    parseValue: parse,
    parseLiteral: parse,
    ...(versionInfo.major >= 17 && { coerceInputValue: parse, coerceInputLiteral: parse }),
  } as never);
  const handler = createHandler({
    typeDefs: `
      scalar Config
      input In { config: Config = "c" configs: [Config!] = ["c"] }
      type Query { rows: [Row] }
      type Row { a(config: Config = "c"): Int b(in: In = {}): Int }
    `,
    resolvers: {
      Config,
      Query: { rows: () => rows },
      Row: {
        a: (_: unknown, { config }: { config: unknown }) => seen.push(config),
        b: (_: unknown, args: { in: object }) => seen.push(args.in),
      },
    } as never,
  });
  await handler({ query: '{ rows { a } }' });

  for (const [query, most] of [
    ['{ rows { a b: a } }', 1],
    ['{ rows { b } }', 2],
  ] as const) {
    parsed = 0;
    await handler({ query });
    assert.ok(parsed <= most, `${query}: ${parsed}`);
  }

  assert.equal(new Set(seen).size, 16);
});

test('a JSON leaf that many aliases select is measured and serialized once for each', async () => {
  let written = 0;
  const config = { toJSON: () => ({ written: ++written }) };
  const handler = createHandler({
    typeDefs: 'scalar JSON type Query { config: JSON }',
    resolvers: { Query: { config: () => config } },
    rootValue: {},
  });
  const aliases = Array.from({ length: 50 }, (_, at) => `a${at}: config`).join(' ');

  await createTester(handler).run(`{ ${aliases} }`);

  assert.equal(written, 100);
});
