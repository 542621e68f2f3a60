import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';

import { GraphQLError, versionInfo } from 'graphql';

import { createHandler } from '../../../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../../../src/entries/incremental.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { webRequest } from '../../../../support/events.ts';
import { json, post } from '../../../../support/plain-http.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const megabyte = 900_000;

describe('a small request', () => {
  for (const [what, query] of [
    ['the name of an operation', `query ${'Q'.repeat(megabyte)}($a: Int!, $b: Int!) { hello }`],
    ['an alias', `{ ${'a'.repeat(257)}: hello }`],
    ['a fragment', `{ ...${'F'.repeat(257)} } fragment ${'F'.repeat(257)} on Query { hello }`],
    ['a name after strings and comments', `{ a(b: "${'x'.repeat(600)}") # ${'y'.repeat(600)}\n ${'z'.repeat(300)} }`],
  ] as const) {
    it(`${what} may have 256 characters: a longer one is a short 400 that does not repeat it`, async () => {
      const response = await createEndpoint().send(post({ query }));

      assert.equal(response.status, 400);
      assert.match(json(response).errors[0].message, /^Syntax Error: Expected names of at most 256 characters, got one of \d+\.$/);
      assert.ok(response.body.length < 500);
    });
  }

  it('names of 256 characters run, next to longer strings, comments and numbers', async () => {
    const alias = 'a'.repeat(256);
    const query = `# ${'c'.repeat(1000)}\n{ ${alias}: hello(name: "${'x'.repeat(1000)}") b: hello(name: """${'x'.repeat(1000)}""") }`;

    const response = await createEndpoint().send(post({ query }));

    assert.deepEqual(Object.keys(json(response).data), [alias, 'b']);
  });

  it('heavy variables run if all their keys are known, and so do variables that the operation does not declare', async () => {
    const [filter, unused] = [{ and: { and: {} } }, { constructor: 'x'.repeat(30_000) }];
    const query = 'query ($f: Filter, $toString: Filter) { books(filter: $f) { title } again: books(filter: $toString) { title } }';

    const response = await createEndpoint().send(post({ query, variables: { f: filter, unused } }));

    assert.equal(json(response).errors, undefined);
  });

  const notOne = 'Variable "$f" has no valid value of type "Filter". Send smaller variables to see why.';
  for (const [what, counts, key] of [
    ['two are reported one by one', [2], 'k'],
    ['a thousand of one variable are one error', [1000], 'k'],
    ['80,000 are one error', [80_000], 'k'],
    ['fifty of 1,000 characters are one error', [50], 'k'.repeat(1000)],
    ['300 in each operation of a batch are one error each', [300, 300, 300, 300, 300], 'k'],
  ] as const)
    it(`of the unknown keys of an input object, ${what}`, async () => {
      const operations = counts.map((count) => ({
        query: 'query ($f: Filter) { books(filter: $f) { title } }',
        variables: { f: { and: Object.fromEntries(Array.from({ length: count }, (_, index) => [`${key}${index}`, 1])) } },
      }));

      const response = await createEndpoint().send(post(operations.length === 1 ? operations[0] : operations));

      for (const { errors } of [json(response)].flat()) {
        if (counts[0] === 2) assert.match(`${errors.length} ${errors[0].message}`, /^2 .*"k0"/);
        else assert.deepEqual(errors, [{ message: notOne, locations: [{ line: 1, column: 8 }], extensions: { code: 'BAD_USER_INPUT' } }]);
      }
    });

  const notExplained: Record<string, readonly [type: string, variables: () => unknown]> = {
    'an invalid object after 40,000 valid ones': ['[In]', () => [...Array.from({ length: 40_000 }, () => ({})), { list: [{ a: 'x' }] }]],
    '250,000 invalid values': ['[Int!]!', () => Array.from({ length: 250_000 }, () => 'x')],
    'a text of 900 KB in place of a number': ['Int', () => 'x'.repeat(megabyte)],
    'a field named constructor among 1,500 objects, one of them invalid': [
      '[Named!]',
      () => Array.from({ length: 1500 }, (_, at) => ({ constructor: at === 1499 ? 1 : 'x' })),
    ],
  };
  const typeDefs = `
    type Query { all(list: [In], numbers: [Int!], number: Int, named: [Named!]): Int }
    input In { a: Int list: [In!] }
    input Named { constructor: String }
  `;
  for (const [what, [type, make]] of Object.entries(notExplained)) {
    it(`${what}: one error, which graphql-js does not write`, async () => {
      const endpoint = createEndpoint({ typeDefs, resolvers: { Query: { all: () => 1 } } });
      const argument = { '[In]': 'list', '[Int!]!': 'numbers', Int: 'number', '[Named!]': 'named' }[type]!;
      const [query, variables] = [`query ($v: ${type}) { all(${argument}: $v) }`, { v: make() }];

      const response = await endpoint.send(post({ query, variables }));

      assert.equal(response.status, 422);
      const message = `Variable "$v" has no valid value of type "${type}". Send smaller variables to see why.`;
      assert.deepEqual(json(response).errors, [{ message, locations: [{ line: 1, column: 8 }], extensions: { code: 'BAD_USER_INPUT' } }]);
    });
  }

  it('1,500 objects with a field named constructor are accepted, and a missing variable beside them is named', async () => {
    const endpoint = createEndpoint({ typeDefs, resolvers: { Query: { all: (_, { named }: { named: unknown[] }) => named.length } } });
    const named = Array.from({ length: 1500 }, () => ({ constructor: 'Ferrari' }));

    const valid = await endpoint.send(post({ query: 'query ($n: [Named!]) { all(named: $n) }', variables: { n: named } }));
    const missing = await endpoint.send(
      post({ query: 'query ($n: [Named!], $i: Int!) { all(named: $n, number: $i) }', variables: { n: named } }),
    );

    assert.deepEqual(json(valid), { data: { all: 1500 } });
    assert.match(json(missing).errors[0].message, /^Variable "\$i" has no valid value of type "Int!"/);
  });

  it('a message that quotes the request is truncated', async () => {
    const query = 'query ($n: Int) { books(first: $n) { title } }';

    const response = await createEndpoint().send(post({ query, variables: { n: 'x'.repeat(7_000) } }));

    assert.equal(response.status, 422);
    assert.match(json(response).errors[0].message, /^Variable "\$n" .*x…$/);
    assert.ok(response.body.length < 2000);
  });

  it('a resolver that fails for 3,500 aliases gives less than 1 MiB of errors, and the number of the others; ten are logged', async () => {
    const endpoint = createEndpoint();
    const aliases = Array.from({ length: 3500 }, (_, index) => `a${index}: explode`).join(' ');

    const response = await endpoint.send(post({ query: `{ ${aliases} hello }` }));

    const { data, errors } = json(response);
    assert.equal(data.hello, 'Hello, world!');
    assert.equal(errors.length, 1001);
    assert.deepEqual(errors.at(-1), { message: 'And at least 100 more errors.', extensions: { code: 'TOO_MANY_ERRORS' } });
    assert.ok(JSON.stringify(errors).length < 1024 * 1024);
    assert.equal(endpoint.lines.length, 11);
    assert.equal(endpoint.lines.at(-1)!.message, 'Further unexpected errors of the same request are not logged.');
    assert.ok(inspect(endpoint.lines, { depth: 9 }).length < 65_536);
  });

  it('a resolver that fails for each of 100,000 fields is not called for all, also with 32 MiB: errors that are only counted have a limit', async () => {
    let calls = 0;
    const fail = (): never => {
      calls++;
      throw new Error('Nothing');
    };
    const { fetch } = createHandler({
      typeDefs: 'type Query { rows: [Row!]! } type Row { fail: String }',
      resolvers: { Query: { rows: () => Array.from({ length: 500 }, () => ({})) }, Row: { fail } },
      logger: recordingLogger()[0],
    });
    const query = `{ rows { ${Array.from({ length: 200 }, (_, index) => `a${index}: fail`).join(' ')} } }`;

    const response = await fetch(webRequest(post({ query })));

    assert.equal(response.status, 400);
    assert.match(await response.text(), /RESULT_TOO_LARGE/);
    assert.ok(calls < 13_000, String(calls));
  });

  it('execution stops after 6,100 errors of a thousand fields in 20 rows that fail later', async () => {
    const refusal = new GraphQLError('Not yours.');
    const typeDefs = 'type Query { rows: [Row!]! } type Row { fail: String }';
    const resolvers = { Query: { rows: () => Array.from({ length: 20 }, () => ({})) }, Row: { fail: () => Promise.reject(refusal) } };
    const query = `{ rows { ${Array.from({ length: 1000 }, (_, index) => `a${index}: fail`).join(' ')} } }`;

    const response = await createEndpoint({ typeDefs, resolvers }).send(post({ query }));

    assert.equal(response.status, 400);
    assert.equal(json(response).errors[0].extensions.code, 'RESULT_TOO_LARGE');
  });

  it('the operations of a batch have equal shares of the limits of errors in the answer and in the log', async () => {
    const endpoint = createEndpoint();
    const element = { query: `{ ${Array.from({ length: 490 }, (_, index) => `a${index}: explode`).join(' ')} }` };

    const response = await endpoint.send(post([element, element, element, { query: '{ hello }' }]));

    const answers = json(response);
    assert.deepEqual(answers.at(-1), { data: { hello: 'Hello, world!' } });
    assert.equal(answers.flatMap(({ errors = [] }) => errors).length, 753);
    assert.equal(endpoint.lines.filter(({ message }) => message.startsWith('Unexpected')).length, 9);
  });

  it('the operations of a batch together record no more errors than a single one', async () => {
    const made: number[] = [];
    const plugin = {
      requestDidStart: () => ({ didEncounterErrors: ({ errors }: { errors: readonly unknown[] }) => void made.push(errors.length) }),
    };
    const endpoint = createEndpoint({ plugins: [plugin] });
    const element = { query: `{ ${Array.from({ length: 450 }, (_, index) => `a${index}: explode`).join(' ')} }` };
    const small = { query: '{ ok: hello explode }' };

    const response = await endpoint.send(post([element, element, element, element, small]));

    const answers = json(response);
    assert.equal(answers.at(-1).data.ok, 'Hello, world!');
    assert.ok(answers.every(({ errors }: { errors: unknown[] }) => errors.length > 0));
    assert.match(answers[2].errors.at(-1).message, /^And at least \d+ more errors\.$/);
    assert.deepEqual(made, [220, 220, 220, 220, 1]);
  });

  it('an error that would fill the log is logged with its message and stack truncated', async () => {
    const text = 'x'.repeat(megabyte);
    const typeDefs = 'type Query { fail(text: String): String }';
    const fail = (_: unknown, args: { text: string }): never => {
      throw Object.assign(new Error(`Nothing for ${args.text}`, { cause: new Error(args.text) }), { request: args });
    };
    const [logger, lines] = recordingLogger();
    const endpoint = createEndpoint({ typeDefs, resolvers: { Query: { fail } }, logger });

    await endpoint.send(post({ query: 'query ($t: String) { fail(text: $t) }', variables: { t: text } }));

    const [line] = lines;
    assert.match(line!.message, /^Unexpected error \w+ \(errorHash \w+\) at fail: Nothing for x+…$/);
    assert.ok(line!.details[0] instanceof Error);
    assert.ok(inspect(lines, { depth: 9 }).length < 8000);
  });

  it('a large error that a resolver throws on purpose keeps its code', async () => {
    const typeDefs = 'type Query { fail: String }';
    const error = new GraphQLError('m'.repeat(20_000), { extensions: { code: 'NOT_HERE', more: 'x'.repeat(20_000) } });
    const endpoint = createEndpoint({ typeDefs, resolvers: { Query: { fail: () => Promise.reject(error) } } });

    const response = await endpoint.send(post({ query: '{ fail }' }));

    const [shown] = json(response).errors;
    assert.equal(shown.message, `${'m'.repeat(1000)}…`);
    assert.deepEqual([shown.path, shown.extensions], [['fail'], { code: 'NOT_HERE' }]);
  });
});

it('the parts of an answer share the limits of errors in the answer and in the log', { skip: versionInfo.major < 17 }, async () => {
  const [logger, lines] = recordingLogger();
  const { fetch } = createHandler({
    typeDefs: 'type Query { rows: [Row!]! } type Row { id: ID fail: String }',
    resolvers: {
      Query: { rows: () => Array.from({ length: 300 }, (_, id) => ({ id })) },
      Row: { fail: () => Promise.reject(new Error('Nothing')) },
    },
    incrementalDelivery: incrementalDelivery(),
    logger,
  });
  const request = post({ query: '{ rows { id ... @defer { fail } } }' }, { headers: [['accept', 'multipart/mixed']] });
  const response = await fetch(webRequest(request));

  assert.equal((await response.text()).match(/"errors"/g)?.length, 300);
  assert.equal(lines.filter(({ message }) => message.startsWith('Unexpected')).length, 10);
  assert.ok(lines.length <= 20, String(lines.length));
});

it('a document gets at most twenty errors: with suggestions, each may be compared with all names of the schema, and a long one has no locations', async () => {
  const query = `{ ${Array.from({ length: 60 }, (_, at) => `a${at}: hell${at}`).join(' ')} }`;

  const shown = json(await createEndpoint({ introspection: true }).send(post({ query }))).errors as { message: string }[];
  const hidden = json(await createEndpoint().send(post({ query: query + ' '.repeat(20_000) }))).errors as { message: string }[];

  assert.deepEqual([shown.length, hidden.length], [21, 21]);
  assert.match(shown[0]!.message, /Did you mean "hello"/);
  assert.match(hidden[20]!.message, /^Too many validation errors, error limit reached/);
  assert.match(shown[20]!.message, /^Too many validation errors, error limit reached/);
});

describe('fields of an interface with 40 types', () => {
  const names = Array.from({ length: 40 }, (_, at) => `T${at}`);
  const typeDefs = `interface Row { o: O } type O { x: Int } type Query { rows: [Row] }
    ${names.map((name) => `type ${name} implements Row { o: O }`).join(' ')}`;
  const aliases = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}: o { x }`).join(' ');
  let calls = 0;
  const row = (name: string): object => ({ __typename: name, o: () => (calls++, { x: 1 }) });
  const endpoint = createEndpoint({ typeDefs, resolvers: { Query: { rows: () => names.map(row) } } });

  it('count as work of the operation for each type: 2,490 aliases are refused before 25,000 fields are planned', async () => {
    calls = 0;

    const response = await endpoint.send(post({ query: `{ rows { ${aliases(2490)} } }` }));

    const [error] = json(response).errors;
    assert.equal(error.extensions.code, 'RESULT_TOO_LARGE');
    assert.match(error.message, /a field that is planned for a further type 10\)/);
    assert.ok(calls < 25_000, `${calls} fields have run`);
  });

  it('are free up to the work that every answer may cost, in the first run and in later ones', async () => {
    const query = `{ rows { ${aliases(400)} } }`;

    const answers = [await endpoint.send(post({ query })), await endpoint.send(post({ query })), await endpoint.send(post({ query }))];

    for (const answer of answers) assert.equal(Object.keys(json(answer).data.rows[39]).length, 400);
  });
});
