import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildSchema, parse } from 'graphql';
import type { GraphQLObjectType } from 'graphql';

import { budget } from '../../../../src/entries/budget.ts';
import { graphqlJSExecutor } from '../../../../src/entries/graphql-js.ts';
import { idempotency, memoryStore } from '../../../../src/entries/idempotency.ts';
import { batch, createHandler, RESTDataSource } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { resultsOf } from '../../../support/sse.ts';
import { executors } from '../../../support/executors.ts';
import { authorization, needsAuthorization } from './authorization.ts';
import { simpleRights } from './simple-decision.ts';
import { serveText } from './text-server.ts';
import type { GivenCaller, TextServer } from './text-server.ts';

const nobody: GivenCaller = {};
const typeDefs =
  'type Query { open: Int closed: Int @authenticated } type Mutation { write(n: Int): Int @requiresScopes(scopes: [["write"]]) }';

function codesOf({ errors = [] }: { readonly errors?: readonly any[] }): readonly string[] {
  return errors.map(({ extensions }) => extensions?.code as string);
}

/** A plugin of budget() and one of idempotency(), and what they have taken. */
function costly(): { readonly plugins: readonly ServerPlugin[]; readonly taken: string[] } {
  const taken: string[] = [];
  const keys = memoryStore();
  const claim: typeof keys.claim = (...given) => {
    taken.push('key');
    return keys.claim(...given);
  };
  const points = budget({
    identity: () => 'client',
    capacity: 1000,
    refillPerSecond: 1,
    whenStoreFails: 'refuse',
    store: { take: async (_id, { cost }) => ({ isTaken: taken.push('points') > 0, untilFull: cost }) },
  });
  const store = { claim, finish: keys.finish.bind(keys), release: keys.release.bind(keys) };
  return { plugins: [points, idempotency({ identity: () => 'client', store })], taken };
}

const key = { 'idempotency-key': '"one"' };

describe('a refused operation', () => {
  for (const [name, createRights] of [
    ['the simple decision', simpleRights()],
    ['authorization()', authorization],
  ] as const)
    for (const [executor, choice] of executors)
      it(
        `calls no resolver, batch, reference resolver or data source, and takes nothing: ${name}, ${executor}`,
        createRights ? {} : needsAuthorization,
        async () => {
          const [logger] = recordingLogger();
          const ran: string[] = [];
          const { plugins, taken } = costly();
          class Books extends RESTDataSource {
            override baseURL = 'https://books.example/';
          }
          const handler = createHandler(
            subgraph({
              ...choice,
              nodeEnv: 'test',
              logger,
              typeDefs: `
              extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@authenticated"])
              type Query { books: [Book] }
              type Mutation { write: Book secret: Int @authenticated }
              type Book @key(fields: "id") { id: ID price: Int secret: Int @authenticated }`,
              dataSources: () => ({ books: new Books({ fetch: async () => (ran.push('fetch'), Response.json([])) } as never) }),
              resolvers: {
                Query: { books: (_: unknown, _args: unknown, { dataSources }: any) => (ran.push('books'), dataSources.books.get('all')) },
                Mutation: { write: () => (ran.push('write'), { id: 1 }) },
                Book: {
                  price: batch((parents) => (ran.push('prices'), parents.map(() => 1))),
                  __resolveReference: () => (ran.push('reference'), { id: 1 }),
                },
              },
              plugins: [createRights!({ claims: () => undefined, policies: {} }), ...plugins],
            } as never) as never,
          ) as unknown as TextServer['handler'];
          const send = async (query: string): Promise<unknown> => {
            const headers = { 'content-type': 'application/json', ...key };
            const response: Response = await handler(
              new Request('https://api.example/', { method: 'POST', headers, body: JSON.stringify({ query }) }),
              {},
            );
            return codesOf((await response.json()) as object);
          };

          const answers = [
            await send('{ books { id price secret } }'),
            await send('mutation { write { id price } secret }'),
            await send('{ _entities(representations: [{ __typename: "Book", id: 1 }]) { ... on Book { price secret } } }'),
          ];

          assert.deepEqual([answers.flat(), ran, taken], [['UNAUTHENTICATED', 'UNAUTHENTICATED', 'UNAUTHENTICATED'], [], []]);
        },
      );
});

describe('authorization() decides', needsAuthorization, () => {
  const serve = (plugins: readonly ServerPlugin[], options: object = {}): TextServer =>
    serveText(typeDefs, { createRights: authorization!, options: { plugins, ...options } as never });

  it('before plugins that the list has before it, in every stage and hook of the execution', async () => {
    const entered: string[] = [];
    const early = (position: 'first' | undefined, onlyWatches: boolean): ServerPlugin => ({
      position,
      onlyWatches,
      execution: (_execution, next) => {
        entered.push('execution');
        return next();
      },
      requestDidStart: () => ({
        responseForOperation: () => {
          entered.push('responseForOperation');
          return null;
        },
        executionDidStart: () => void entered.push('executionDidStart'),
      }),
    });
    const outside = [early('first', true), early(undefined, true), early('first', false), early(undefined, false)];
    const [logger] = recordingLogger();
    const rights = authorization!({ claims: () => undefined, policies: {} });
    const handler = createHandler({
      nodeEnv: 'test',
      logger,
      typeDefs,
      plugins: [...outside, rights],
    } as never) as unknown as TextServer['handler'];

    const { errors } = await handler({ query: '{ closed }' }, {});

    assert.deepEqual([codesOf({ errors }), entered], [['UNAUTHENTICATED'], []]);
  });

  for (const order of ['before', 'after'] as const)
    it(`before points and keys, ${order} their plugins in the list`, async () => {
      const { plugins, taken } = costly();
      const [logger] = recordingLogger();
      const rights = authorization!({ claims: () => undefined, policies: {} });
      const list = order === 'before' ? [rights, ...plugins] : [...plugins, rights];
      const handler = createHandler({ nodeEnv: 'test', logger, typeDefs, plugins: list } as never) as unknown as TextServer['handler'];
      const headers = { 'content-type': 'application/json', ...key };
      const body = JSON.stringify({ query: 'mutation { write }' });

      const response: Response = await handler(new Request('https://api.example/', { method: 'POST', headers, body }), {});

      assert.deepEqual([codesOf((await response.json()) as object), taken], [['UNAUTHENTICATED'], []]);
    });

  it('before a stored answer is replayed', async () => {
    const server = serve(costly().plugins);
    const body = { query: 'mutation { write(n: 1) }' };

    const first = await server.send({ claims: ['write'] }, body, key);
    const replay = await server.send({ claims: ['write'] }, body, key);
    const later = await server.send({ claims: [] }, body, key);

    assert.deepEqual([first.body.errors, replay.body, codesOf(later.body)], [undefined, first.body, ['FORBIDDEN']]);
  });

  it('about each element of a batch by itself', async () => {
    const server = serve([]);

    const { body } = await server.send(nobody, [{ query: '{ open }' }, { query: '{ closed }' }, { query: '{ x: open }' }]);

    assert.deepEqual(
      (body as unknown as object[]).map((one) => codesOf(one)),
      [[], ['UNAUTHENTICATED'], []],
    );
    assert.deepEqual(server.ran.toSorted(), ['Query.open', 'Query.open', 'claims']);
  });

  it('after the variables were coerced, whose errors are the answer', async () => {
    const called: string[] = [];
    const server = serve([{ requestDidStart: () => ({ responseForOperation: () => (called.push('responseForOperation'), null) }) }]);

    const { body } = await server.send(nobody, { query: 'mutation ($n: Int) { write(n: $n) }', variables: { n: 'many' } });

    assert.deepEqual([codesOf(body), server.ran, called], [['BAD_USER_INPUT'], [], []]);
  });

  for (const [name, choice] of executors)
    it(`about the variables that the operation runs with, whatever plugins change later: ${name}`, async () => {
      const include = (variables: any): void => {
        if (variables !== undefined) variables.t = true;
      };
      const changing: ServerPlugin = {
        execution: (execution, next) => {
          include(execution.variableValues);
          return next();
        },
        requestDidStart: () => ({
          responseForOperation: ({ request }) => {
            include(request.variables);
            return null;
          },
          executionDidStart: ({ request }) => include(request.variables),
        }),
      };
      const server = serve([changing], choice);

      const { body } = await server.send(nobody, {
        query: 'query ($t: Boolean!) { open closed @include(if: $t) }',
        variables: { t: false },
      });

      assert.deepEqual(body, { data: { open: 1 } });
    });

  it('with directives and extensions of a schema that was not made from its text', async () => {
    const schema = buildSchema('directive @authenticated on FIELD_DEFINITION type Query { open: Int both: Int @authenticated }');
    const fields = (schema.getType('Query') as GraphQLObjectType).getFields();
    fields['both']!.extensions = { authorization: { scopes: [['s']] } };
    for (const field of Object.values(fields)) field.resolve = () => 1;
    const [logger] = recordingLogger();
    const create = (claims: unknown): TextServer['handler'] =>
      createHandler({
        nodeEnv: 'test',
        logger,
        schema,
        plugins: [authorization!({ claims: () => claims, policies: {} })],
      } as never) as never;

    const answers = [
      await create(undefined)({ query: '{ both }' }, {}),
      await create([])({ query: '{ both }' }, {}),
      await create(['s'])({ query: '{ both open }' }, {}),
    ];

    assert.deepEqual(answers.map(codesOf), [['UNAUTHENTICATED'], ['FORBIDDEN'], []]);
  });

  it('a subscription when it starts, and not again', async () => {
    const [logger] = recordingLogger();
    let asked = 0;
    const claims = (): readonly string[] | undefined => (++asked === 1 ? [] : undefined);
    const handler = createHandler({
      nodeEnv: 'test',
      logger,
      typeDefs: 'type Query { a: Int } type Subscription { ticks: Int @authenticated }',
      resolvers: {
        Subscription: {
          ticks: {
            subscribe: async function* () {
              yield { ticks: 1 };
              yield { ticks: 2 };
            },
          },
        },
      },
      plugins: [authorization!({ claims, policies: {} })],
    } as never) as unknown as TextServer['handler'];
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const body = JSON.stringify({ query: 'subscription { ticks }' });

    const response: Response = await handler(new Request('https://api.example/', { method: 'POST', headers, body }), {});

    assert.deepEqual(resultsOf(await response.text()), [{ data: { ticks: 1 } }, { data: { ticks: 2 } }]);
    assert.equal(asked, 1);
  });

  it('with the context of the operation', async () => {
    const [logger] = recordingLogger();
    const given: unknown[] = [];
    const ask = ({ context }: { context: object }): string[] => {
      given.push(context);
      return [];
    };
    const handler = createHandler({
      nodeEnv: 'test',
      logger,
      typeDefs: 'type Query { mine: Int @authenticated @policy(policies: [["owner"]]) }',
      resolvers: { Query: { mine: (_: unknown, _args: unknown, context: object) => given.push(context) } },
      context: () => ({ user: 'ada' }),
      plugins: [authorization!({ claims: ask, policies: { owner: (one) => ask(one).length === 0 } })],
    } as never) as unknown as TextServer['handler'];

    assert.deepEqual(await handler({ query: '{ mine }' }, {}), { data: { mine: 3 } });
    assert.deepEqual([new Set(given).size, (given[0] as { user: string }).user], [1, 'ada']);
  });

  it('that a policy which throws refuses, and logs the error', async () => {
    const server = serveText('type Query { mine: Int @policy(policies: [["owner"]]) }', { createRights: authorization! });

    const { body } = await server.send({ policies: { owner: new Error('The database is down.') } }, { query: '{ mine }' });

    assert.deepEqual(codesOf(body), ['FORBIDDEN']);
    assert.match(JSON.stringify(server.lines.map(({ details, message }) => [message, ...details.map(String)])), /The database is down/);
    assert.doesNotMatch(JSON.stringify(body), /database/);
  });

  const definition = 'directive @authenticated on OBJECT | INTERFACE | FIELD_DEFINITION | SCALAR | ENUM';
  const extension = 'extend type Query { closed: Int @authenticated scoped: Int @requiresScopes(scopes: [["s"]]) }';
  const protecting = `type Query { open: Int } ${extension}`;
  const likeALink = "\"@link(url: 'https://specs.apollo.dev/federation/v2.9', import: ['@authenticated'])\"";
  const forms: Readonly<Record<string, unknown>> = {
    'a text': protecting,
    'a document': parse(protecting),
    'a list of texts': ['type Query { open: Int }', extension],
    'a list with a document': [parse('type Query { open: Int }'), extension],
    'a text with one of the definitions': `${definition} ${protecting}`,
    'a document with one of the definitions': parse(`${definition} ${protecting}`),
    'a text with a comment that looks like a definition': `# ${definition}\n${protecting}`,
    'a text with a description that looks like a link': `${likeALink} ${protecting}`,
    'a text whose comment and description look like rules of a scalar': `# scalar ID @authenticated\n"""scalar ID @authenticated""" ${protecting}`,
  };
  for (const [form, given] of Object.entries(forms))
    it(`with definitions that it adds to ${form}`, async () => {
      for (const nodeEnv of ['test', 'production']) {
        const [logger] = recordingLogger();
        const rights = authorization!({ claims: () => undefined, policies: {} });
        const resolvers = { Query: { open: () => 1, closed: () => 1, scoped: () => 1 } };
        const options = { nodeEnv, logger, typeDefs: given, resolvers, plugins: [rights] };
        const handler = createHandler(options as never) as unknown as TextServer['handler'];

        const answers = [
          await handler({ query: '{ open }' }, {}),
          await handler({ query: '{ closed }' }, {}),
          await handler({ query: '{ scoped }' }, {}),
        ];

        assert.deepEqual(answers.map(codesOf), [[], ['UNAUTHENTICATED'], ['UNAUTHENTICATED']]);
      }
    });

  it('with an executor of graphql-js', async () => {
    const server = serve([], { executor: graphqlJSExecutor() });

    assert.deepEqual(codesOf((await server.send(nobody, { query: '{ open closed }' })).body), ['UNAUTHENTICATED']);
    assert.deepEqual(server.ran, ['claims']);
  });
});

/** Rules that are wrong, and what the message must name. */
const wrongRules: readonly (readonly [title: string, rule: string, names: RegExp])[] = [
  ['a list in place of a list of lists, which would be a OR b', '@requiresScopes(scopes: ["a", "b"])', /scopes/],
  ['a text', '@requiresScopes(scopes: "a")', /scopes/],
  ['an empty alternative, which would allow everybody', '@requiresScopes(scopes: [["a"], []])', /scopes/],
  ['a scope with a space', '@requiresScopes(scopes: [["a b"]])', /a b/],
  ['a scope with a quotation mark', '@requiresScopes(scopes: [["a\\"b"]])', /scope/],
  ['a scope with a backslash', '@requiresScopes(scopes: [["a\\\\b"]])', /scope/],
  ['a scope with a control character', '@requiresScopes(scopes: [["a\\u0007"]])', /scope/],
  ['an empty scope', '@requiresScopes(scopes: [[""]])', /scope/],
  ['an empty alternative of policies', '@policy(policies: [[]])', /policies/],
  ['a list of policies', '@policy(policies: ["known"])', /policies/],
  ['a policy that the options do not have', '@policy(policies: [["unknown"]])', /unknown/],
  ['a policy with a name of Object.prototype', '@policy(policies: [["toString"]])', /toString/],
  ['an unknown argument', '@authenticated(scopes: [["a"]])', /scopes/],
  ['a missing argument', '@requiresScopes', /scopes/],
];

/** What the start of a server says: what `createHandler` throws, or what is logged at the first request. */
async function startWith(text: string, nodeEnv: string): Promise<string> {
  try {
    const server = serveText(text, { createRights: authorization!, policies: ['known'], options: { nodeEnv } });
    const { status } = await server.send(nobody, { query: '{ __typename }' });
    return status === 500 ? server.lines.map(({ message, details }) => [message, ...details].join(' ')).join('\n') : `${status}`;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('authorization() refuses rules', needsAuthorization, () => {
  for (const [title, rule, names] of wrongRules) {
    it(`at the start of tests and development: ${title}`, async () => {
      const text = `type Query { open: Int wrong: Int ${rule} }`;

      assert.match(await startWith(text, 'test'), names);
      assert.match(await startWith(text, 'development'), names);
    });

    it(`in production when they are needed: ${title}`, async () => {
      const server = serveText(`type Query { open: Int thing: Thing } type Thing { wrong: Int ${rule} }`, {
        createRights: authorization!,
        policies: ['known'],
        options: { nodeEnv: 'production' },
      });

      const open = await server.send(nobody, { query: '{ open }' });
      const touched = await server.send({ claims: ['a', 'b'] }, { query: '{ thing { wrong } }' });

      assert.deepEqual(open.body, { data: { open: 1 } });
      assert.deepEqual(
        [touched.status, codesOf(touched.body), touched.body.errors![0]!.message],
        [500, ['INTERNAL_SERVER_ERROR'], 'Internal server error'],
      );
      assert.deepEqual(
        server.ran.filter((one) => one.includes('.')),
        [],
      );
    });
  }

  it('in places that it does not read, which only a definition of the author allows', async () => {
    const onArgument = 'ARGUMENT_DEFINITION type Query { open(secret: Int @authenticated): Int closed: Int @authenticated }';
    const onValue = 'ENUM_VALUE type Query { closed: Int @authenticated } enum Kind { A @authenticated }';
    const startOn = async (text: string): Promise<string> => startWith(`directive @authenticated on FIELD_DEFINITION | ${text}`, 'test');

    assert.match(await startOn(onArgument), /@authenticated.*ARGUMENT_DEFINITION/);
    assert.match(await startOn(onValue), /@authenticated.*ENUM_VALUE/);
  });

  it('that are not there: a schema without any is an error in tests, and one line in production', async () => {
    const text = 'type Query { open: Int }';

    assert.doesNotMatch(await startWith(text, 'test'), /^200$/);
    const server = serveText(text, { createRights: authorization!, options: { nodeEnv: 'production' } });
    for (let at = 0; at < 3; at++) assert.deepEqual((await server.send(nobody, { query: '{ open }' })).body, { data: { open: 1 } });
    assert.equal(server.lines.filter(({ message }) => message.includes('authorization')).length, 1);
  });
});
