import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError, versionInfo } from 'graphql';

import { graphqlJSExecutor } from '../../../../src/entries/graphql-js.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { deferred } from '../../../support/deferred.ts';
import { advancing, copying, fail, oddShop, posted, shop, stopTimers } from '../../../support/edge/purge-shop.ts';

const refusal = (code: string): GraphQLError => new GraphQLError('Not you.', { extensions: { code } });

describe('a mutation purges', () => {
  stopTimers();
  const rows: readonly (readonly [what: string, selection: string, tags: string])[] = [
    ['the object, and answers and lists that may contain it', 'rename(id: 1) { id }', 'e:Book:1 u:Book l:Book'],
    ['all answers with the type, when the id is not selected', 'rename(id: 1) { title }', 't:Book l:Book'],
    ['all answers with the type, when the object has no id', 'nameless { title }', 't:Book l:Book'],
    ['nothing, when its answer names no object', 'remove(id: 1)', ''],
    ['the objects, and all that a failed field may have changed', 'failing { id } rename(id: 2) { id }', 'e:Book:2 t:Book u:Book l:Book'],
    ['the type of a failed field, and the types selected below it', 'strict { book { id } }', 't:Pair l:Pair t:Book l:Book'],
    ['objects at any depth', 'both(id: 3) { book { id } pen { id } }', 'e:Book:3 t:Pair l:Pair u:Book l:Book'],
  ];
  for (const [what, selection, tags] of rows)
    test(what, async () => {
      const { post, purges } = shop();

      await post({ query: `mutation { ${selection} }` });

      assert.deepEqual(
        purges.map((batch) => batch.toSorted().join(' ')),
        tags === '' ? [] : [tags.split(' ').toSorted().join(' ')],
      );
    });

  const failsAfterwards: ServerPlugin = { operation: async (_call, next) => (await next(), fail()) };
  const cannotBeSent: ServerPlugin = { requestDidStart: () => ({ willSendResponse: fail }) };
  const tidied = { write: () => ({ id: '7' }), tidy: () => ({ books: [null, { id: '2' }] }), strictTidy: () => ({}) };
  const large = { write: () => ({ id: '7', title: 'x'.repeat(100_000) }) };
  const pen = { __typename: 'Pen', id: '1' };
  const many = { renameAll: () => Array.from({ length: 1_001 }, (_, id) => ({ id })) };
  const never = (): Promise<never> => new Promise(() => undefined);
  const late = { deadline: { ms: 20, reserveMs: 5, partial: 'NULL' } };
  const partly = { renameAll: () => [{ id: '1' }, new Error('No.')] };
  type More = { readonly server?: object; readonly onError?: string | undefined };
  const unusual: readonly (readonly [what: string, selection: string, tags: string, Mutation: object, more?: More])[] = [
    ['a field that returned no object', 'rename { id }', 'l:Book t:Book', { rename: () => null }],
    [
      'that, with HALT',
      'rename { id } tidy { pens { id } }',
      'l:Book l:Pen l:Tidied t:Book t:Pen t:Tidied',
      { rename: () => null, tidy: fail },
      { onError: 'HALT' },
    ],
    [
      'an object that may have had another type',
      'turn { __typename id }',
      'e:Book:1 e:Pen:1 l:Book l:Pen u:Book u:Pen',
      { turn: () => pen },
    ],
    ['an object whose type the answer does not tell', 'turn { id }', 'l:Book l:Pen t:Book t:Pen', { turn: () => pen }],
    ['failed items of a list', 'renameAll { id }', 'e:Book:1 l:Book t:Book u:Book', partly],
    [
      '1,001 objects of one type, beside one of another',
      'renameAll { id } turn { __typename id }',
      'e:Book:1 e:Pen:1 l:Book l:Pen t:Book u:Book u:Pen',
      { ...many, turn: () => pen },
    ],
    ['the objects beside null in a list', 'tidy { books { id } }', 'e:Book:2 l:Book l:Tidied t:Tidied u:Book', tidied],
    ['all fields, if nested null', 'write { id } strictTidy { pens { id } }', 'l:Book l:Pen l:Strict t:Book t:Pen t:Strict', tidied],
    ['a field whose error a plugin replaces', 'rename { id }', 'l:Book t:Book', { rename: fail }, { server: { plugins: [cannotBeSent] } }],
    [
      'its fields, when a plugin around it fails afterwards',
      'write { id } rename { id }',
      'e:Book:7 l:Book t:Book u:Book',
      { ...tidied, rename: fail },
      { server: { plugins: [failsAfterwards] } },
    ],
    [
      'no refused field, when its answer is too large',
      'write { id title } tidy { pens { id } }',
      'l:Book t:Book',
      { ...large, tidy: () => Promise.reject(refusal('FORBIDDEN')) },
      { server: { maxResultBytes: 50_000 } },
    ],
    ['its fields, when its answer is too large', 'write { id title }', 'l:Book t:Book', large, { server: { maxResultBytes: 50_000 } }],
    ...[undefined, 'NULL', 'HALT'].map(
      (onError) => [`a non-null field that fails: ${onError}`, 'replace { id }', 'l:Book t:Book', { replace: fail }, { onError }] as const,
    ),
    ['a non-null list that fails', 'replaceAll { id }', 'l:Book t:Book', { replaceAll: fail }, { onError: 'NULL' }],
    ['a non-null list that fails in an object', 'strictTidy { pens { id } }', 'l:Pen l:Strict t:Pen t:Strict', tidied, { onError: 'NULL' }],
    ['a non-null field that is unfinished at the deadline', 'replace { id }', 'l:Book t:Book', { replace: never }, { server: late }],
  ];
  for (const [what, selection, tags, Mutation, { server, onError } = {}] of unusual)
    test(`what may have changed: ${what}`, async () => {
      const { post, purges } = oddShop({ Mutation, Strict: { pens: fail } }, server);

      await advancing(post({ query: `mutation { ${selection} }`, onError }));

      assert.deepEqual(
        purges.map((batch) => batch.toSorted().join(' ')),
        [tags],
      );
    });

  const refuse = (code: string) => (): never => {
    throw refusal(code);
  };
  for (const code of ['UNAUTHENTICATED', 'FORBIDDEN'])
    for (const onError of [undefined, 'NULL', 'HALT'])
      for (const field of ['rename', 'replace'])
        test(`nothing when ${field} is refused with ${code} and onError ${onError}: such requests cannot empty the CDN`, async () => {
          const { post, purges } = oddShop({ Mutation: { [field]: refuse(code) } });

          await post({ query: `mutation { ${field} { id pens { id } } }`, onError });

          assert.deepEqual(purges, []);
        });

  test('nothing when its variables are invalid: such requests cannot empty the CDN', async () => {
    const { post: send, purges } = shop();

    const refused = await send({ query: 'mutation ($id: ID!) { rename(id: $id) { id } }', variables: { id: {} } });

    assert.deepEqual([refused.status, purges], [422, []]);
  });

  for (const [name, server] of [
    ['a plan', {}],
    ['graphql-js', { executor: graphqlJSExecutor() }],
    ['a plugin that replaces the data', { plugins: [copying] }],
  ] as const)
    test(`nothing for a field whose arguments are invalid, and what the fields beside it have changed, with ${name}`, async () => {
      const { post: send, purges } = shop({}, {}, server);
      const ask = (other: string): Promise<Response> =>
        send({ query: `mutation ($id: ID = "1") { rename(id: $id) { id } ${other} }`, variables: { id: null } });

      const refused = await ask('both(id: $id) { pen { id } }');
      const partial = await ask('other: rename(id: 2) { id }');

      assert.match(await refused.text(), /"rename":null,"both":null/);
      assert.match(await partial.text(), /"rename":null,"other":\{"id":"2"\}/);
      assert.equal(purges.length, 1);
      assert.ok(purges[0]!.includes('e:Book:2') && !purges[0]!.includes('t:Book') && !purges[0]!.includes('t:Pen'), purges[0]!.join());
    });

  test('what the fields beside a refused one have changed, and nothing for fields that were not called', async () => {
    const rename = refuse('FORBIDDEN');
    const resolvers = { Mutation: { rename, write: () => ({ id: '7' }), turn: () => ({ __typename: 'Pen', id: '1' }) } };
    const { post, purges } = oddShop(resolvers);

    await post({ query: 'mutation { write { id } rename { id } turn { id } }', onError: 'HALT' });

    assert.deepEqual(purges.flat().toSorted(), ['l:Book', 't:Book']);
  });

  test('no types of fields that were not called because the client disconnected during the check of a refused field', async () => {
    const [started, checked] = [deferred(), deferred()];
    const rename = async (): Promise<never> => {
      started.resolve();
      await checked.promise;
      return refuse('FORBIDDEN')();
    };
    const { send, purges } = oddShop({ Mutation: { rename, tidy: () => ({}) } });
    const client = new AbortController();

    const answered = send(posted('mutation { rename { id } tidy { pens { id } } }', { signal: client.signal }));
    await started.promise;
    client.abort();
    await answered.catch(() => undefined);
    checked.resolve();
    await new Promise(setImmediate);

    assert.doesNotMatch(purges.join(), /Pen|Tidied/);
  });

  test('all types that it selects below an error, however many selections there are', async () => {
    const types = Array.from({ length: 60 }, (_, at) => `type T${at} implements Node { id: ID! list: [Node!] }`).join(' ');
    const fields = Array.from({ length: 100 }, (_, at) => `f${at}: list { id ... on T${at % 60} { more: list { id } } }`).join(' ');
    const typeDefs = `type Query { book: Book } type Book { id: ID! broken: Node } type Mutation { rename: Book }
      interface Node { id: ID! list: [Node!] } ${types}`;
    const resolvers = { Query: {}, Mutation: { rename: () => ({ id: '7' }) }, Book: { broken: fail } };
    const { post, purges, log } = shop({}, resolvers, { typeDefs });

    await post({ query: `mutation { rename { id broken { ... on Node { ${fields} } } } }` });

    const tags = new Set(purges.flat());
    assert.ok(tags.has('t:Book'), `purged ${purges.join(' ').slice(0, 200)}`);
    assert.equal([...tags].filter((tag) => tag.startsWith('t:T')).length, 60);
    assert.equal(
      log.some(({ message }) => message.startsWith('edge')),
      false,
    );
  });

  test('all types that it selects, if what it has changed cannot be determined', async () => {
    const broken: ServerPlugin = {
      execution: async (_call, next) => {
        const outcome = await next();
        const data = {
          get rename(): object {
            throw new Error('No.');
          },
        };
        return { ...outcome, result: { data: Object.defineProperty(data, 'toJSON', { value: () => ({ rename: null }) }) } };
      },
    };
    const { post, purges, log } = shop({}, {}, { plugins: [broken] });

    await post({ query: 'mutation { rename(id: 1) { id } }' });

    assert.ok(purges[0]?.includes('t:Book'), `purged ${purges.join(' ')}`);
    assert.match(log[0]!.message, /^edge could not determine what a mutation changed: all types that it selects are purged\.$/);
  });

  test('all types that it selects, if its answer has more objects than are read', async () => {
    const { post, purges } = oddShop({ Mutation: { renameAll: () => Array.from({ length: 200_001 }, () => ({ id: '1' })) } });

    await post({ query: 'mutation { renameAll { id } }' });

    assert.ok(purges[0]?.includes('t:Book'), `purged ${purges.join(' ')}`);
  });

  const endings: readonly (readonly [name: string, server: object, leaves: boolean])[] = [
    ['when its deadline has passed', { deadline: { ms: 30, reserveMs: 5 } }, false],
    ['when its deadline has passed, and a plugin has replaced the data', { deadline: { ms: 30, reserveMs: 5 }, plugins: [copying] }, false],
    ['when its client has disconnected', {}, true],
  ];
  for (const [name, server, leaves] of endings)
    test(`its types once, and a line names the tags, when it is answered before its resolver settles: ${name}`, async () => {
      const [started, written] = [deferred(), deferred<object>()];
      const rename = (): Promise<object> => (started.resolve(), written.promise);
      const { send, purges, log } = oddShop({ Mutation: { rename } }, server);
      const client = new AbortController();
      const request = posted('mutation { rename { id } }', { signal: client.signal });

      const answered = send(request);
      await started.promise;
      if (leaves) client.abort();
      await advancing(answered.catch(() => undefined));
      const before = purges.length;
      written.resolve({ id: '1' });
      await new Promise(setImmediate);

      assert.equal(before, 1);
      assert.equal(purges.length, 1);
      assert.ok(purges[0]!.includes('t:Book'));
      const late = log.filter(({ message }) => message.startsWith('A mutation was answered before its end.'));
      assert.equal(late.length, 1);
      assert.match(late[0]!.message, /tags may be old until their lifetime ends: .*t:Book/);
    });

  test('a query purges nothing', async () => {
    const { get, post, purges } = shop();

    await get('{ books { id } }');
    await post({ query: '{ books { id } }' });

    assert.deepEqual(purges, []);
  });

  test('the answer does not wait for the CDN', async () => {
    const purged = deferred<void>();
    const { post } = shop({ purge: () => purged.promise });

    const response = await post({ query: 'mutation { rename(id: 1) { id } }' });

    assert.deepEqual(await response.json(), { data: { rename: { id: '1' } } });
  });
});

describe('a mutation whose answer comes in parts', () => {
  stopTimers();

  test('purges all types that its parts can contain', { skip: versionInfo.major < 17 && 'graphql 16 answers once' }, async () => {
    const { send, purges } = shop({}, {}, { incrementalDelivery: incrementalDelivery() });
    const query = 'mutation { both(id: 3) { pen { id } ... @defer { book { id } } } }';

    const response = await send(posted(query, { headers: { 'content-type': 'application/json', accept: 'multipart/mixed' } }));
    await response.text();

    assert.ok(purges[0]?.includes('t:Book'), String(purges));
  });
});

test('a mutation is purged immediately, even if the purge of another one hangs', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const purged: string[] = [];
  const purge = async (tags: readonly string[]): Promise<unknown> =>
    tags.includes('e:Book:stuck') ? new Promise(() => undefined) : purged.push(...tags.filter((tag) => tag.startsWith('e:')));
  const { post } = shop({ purge });

  await post({ query: 'mutation { rename(id: "stuck") { id } }' });
  for (const id of [1, 2]) await post({ query: `mutation { rename(id: ${id}) { id } }` });

  assert.deepEqual(purged, ['e:Book:1', 'e:Book:2']);
});

describe('a read that began before a mutation', () => {
  stopTimers();

  for (const [changed, isKept] of [
    [1, false],
    [2, true],
  ] as const)
    test(`is ${isKept ? 'kept when something else has' : 'not kept if its objects have'} changed in the meantime`, async () => {
      const { promise: reading, resolve: read } = deferred<object>();
      const { get, post, decisions } = shop({}, { Query: { book: () => reading, books: () => [] } });
      const answer = get('{ book(id: 1) { id title } }');
      await post({ query: `mutation { rename(id: ${changed}) { id } }` });

      read({ id: '1', title: 'old' });

      assert.equal((await answer).headers.get('cache-control') === 'private, no-store', !isKept);
      assert.equal(JSON.stringify(decisions.at(-1)).includes('its data has changed in the meantime'), !isKept);
    });
});

describe('a read that takes long', () => {
  test('is public up to two thirds of the time to the repeat of a purge', async (t) => {
    let time = 0;
    t.mock.method(performance, 'now', () => time);
    const book = (_: unknown, { id }: { readonly id: string }): object => ((time += Number(id)), { id });
    const { get, decisions } = shop({}, { Query: { book } });

    for (const takes of [2_000, 2_001]) await get(`{ book(id: ${takes}) { id } }`);

    const reasons = decisions.map((decision) => (decision.public ? 'public' : decision.reason));
    assert.deepEqual(reasons, ['public', 'it took so long that its data may have changed in the meantime']);
  });
});
