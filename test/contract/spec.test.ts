import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DataSource } from '../../src/entries/datasource.ts';
import { createHandler } from '../../src/entries/index.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { echoServer } from '../support/echo-server.ts';
import type { EchoServer } from '../support/echo-server.ts';
import { get, json, plainRequest, post } from '../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../support/plain-http.ts';
import { frontDoors, httpAPI, netlifyV1 } from '../support/sources.ts';

/**
 * The specification's own rules and table rows, one test each, in its order and by its numbers. Rules of data sources
 * that send requests are in test/datasources/.
 */

const typeDefs = 'type Query { echo(text: String): String, user: String } type Mutation { add(by: Int!): Int }';
const resolvers = {
  Query: {
    echo: (_: unknown, { text }: { text?: string }) => text ?? 'nothing',
    user: (_: unknown, _arguments: unknown, { dataSources }: any) => dataSources.users.name(),
  },
  Mutation: { add: (_: unknown, { by }: { by: number }, { tally }: any) => (tally.added += by) },
};
const serverOf = (options: Partial<ServerOptions> = {}): EchoServer => echoServer({ typeDefs, resolvers, ...options });

/** Sends a request to a server with these options, through an HTTP API. */
async function send(request: PlainRequest, options: Partial<ServerOptions> = {}): Promise<PlainResponse> {
  return httpAPI.read(await createHandler(serverOf(options).options)(httpAPI.build(request)));
}

class Users extends DataSource<{ name: string }> {
  readonly name = (): string => this.context.name;
}

const dataSources = (): { users: Users } => ({ users: new Users() });
const echo = 'query ($t: String) { echo(text: $t) }';
const two = 'query A { echo(text: "a") } query B { echo(text: "b") }';
const echoes = (text: string): object => ({ data: { echo: text } });
const nothing = echoes('nothing');
const simple = (...headers: [string, string][]): PlainRequest => plainRequest({ query: 'query=%7Becho%7D', headers });
const other = { query: '{ other }' };
const otherTypes = { typeDefs: 'type Query { other: Int }', resolvers: {} };
const store = { get: async () => undefined, set: async () => {}, delete: async () => true };
const texts = ['a', 'b', 'c'];
const form = plainRequest({ method: 'POST', body: 'query=%7Becho%7D', headers: [['Content-Type', 'application/x-www-form-urlencoded']] });
const html = plainRequest({ headers: [['Accept', 'text/html']] });
const playground = { serverWillStart: () => ({ renderLandingPage: () => ({ html: '<title>Playground</title>' }) }) };
const context = ({ response }: Parameters<NonNullable<ServerOptions['context']>>[0]): object => (
  response.headers.set('cache-control', 'public, max-age=60'),
  {}
);

/** Requests for each rule, with the status of the answer, or its JSON, or the head and text in which a pattern is found. */
const rules: Readonly<Record<string, readonly (readonly [PlainRequest, number | RegExp | object, Partial<ServerOptions>?])[]>> = {
  'What the service does 1: it accepts queries and mutations over HTTP and returns GraphQL responses': [
    [post({ query: '{ echo }' }), nothing],
    [post({ query: 'mutation { add(by: 2) }' }), { data: { add: 2 } }],
  ],
  'What the service does 2, and Endpoints, GET: POST with a JSON body, GET without Content-Type for queries, not mutations': [
    [post({ query: '{ echo }' }), 200],
    [get({ query: '{ echo }' }), 200],
    [get({ query: 'mutation { add(by: 1) }' }), 405],
  ],
  'What the service does 4: resolvers read through data source objects': [
    [post({ query: '{ user }' }), { data: { user: 'ada' } }, { context: () => ({ name: 'ada' }), dataSources }],
  ],
  'What the service does 6: the playground is served only when NODE_ENV equals development': [
    [html, /Playground/, { nodeEnv: 'development', plugins: [playground] }],
    ...['production', '', 'test'].map((nodeEnv) => [html, 406, { nodeEnv, plugins: [playground] }] as const),
  ],
  'Operation request, query: required, a string': [{}, { query: 5 }, { query: '' }, { variables: {} }].map((body) => [post(body), 422]),
  'Operation request, operationName: required when there are several operations, of which it selects one': [
    [post({ query: 'query A { echo }' }), 200],
    [post({ query: two }), 422],
    [post({ query: two, operationName: 'B' }), echoes('b')],
  ],
  'Operation request, variables: a JSON object, not required': [
    [post({ query: echo, variables: { t: 'x' } }), echoes('x')],
    [post({ query: echo }), 200],
    [post({ query: echo, variables: ['x'] }), 422],
  ],
  'GET query parameters: URL-escaped, operationName as in POST, variables as the text of a JSON object': [
    [get({ query: '{ echo(text: "a&b=c +%") }' }), echoes('a&b=c +%')],
    [get({ query: two, operationName: 'B' }), echoes('b')],
    [get({ query: echo, variables: '{"t":"ü & ü"}' }), echoes('ü & ü')],
  ],
  'Server constructor options, typeDefs and resolvers: define the served API, and implement its fields': [
    [post(other), { data: { other: null } }, otherTypes],
    [post(other), { data: { other: 7 } }, { ...otherTypes, resolvers: { Query: { other: () => 7 } } }],
  ],
  'Server constructor options, csrfPrevention, and Endpoints rule 4: when true, a GET without Content-Type must carry one of the headers': [
    [simple(), 400, { csrfPrevention: true }],
    [simple(), 200, { csrfPrevention: false }],
  ],
  'Server constructor options, cache: "bounded", or an object with the KeyValueCache interface': [
    [post({ query: '{ echo }' }), 200, { cache: 'bounded' }],
    [post({ query: '{ echo }' }), 200, { cache: store }],
  ],
  'Server constructor options, plugins: a list that includes a plugin for the landing page': [
    [html, /^text\/html/, { nodeEnv: 'development', plugins: [{}, playground] }],
  ],
  'What the service does 3, Batch request, and Endpoints, POST: a GraphQL response for an object, an array in the same order for an array':
    [
      [post({ query: two, operationName: 'A' }), echoes('a')],
      [post(texts.map((t) => ({ query: echo, variables: { t } }))), texts.map(echoes)],
    ],
  'Endpoints rule 1: a POST without Content-Type application/json is not a valid request': [
    undefined,
    'text/plain',
    'application/jsonp',
    'application/graphql',
  ].flatMap((type) => {
    const headers: [string, string][] = type === undefined ? [] : [['Content-Type', type]];
    const request = plainRequest({ method: 'POST', body: new TextEncoder().encode('{"query":"{ echo }"}'), headers });
    return [
      [request, type?.startsWith('application/') ? 415 : 400, { csrfPrevention: true }],
      [request, 415, { csrfPrevention: false }],
    ];
  }),
  'Endpoints rule 3: the answer to a GET is cached as its author says, an error never': [
    [get({ query: '{ echo }' }), /^\S+ \S+ public, max-age=60 /, { context }],
    [get({ query: '{ no }' }), /^\S+ \S+ private, no-store /, { context }],
  ],
  'Authentication 1: a POST must carry Content-Type application/json': [[form, 400]],
  'Authentication 2: one of these headers with a value that is not empty lets a GET through': [
    'X-Vendor-Operation-Name',
    'Vendor-Require-Preflight',
  ].flatMap((name) => [
    [simple([name, '1']), 200],
    [simple([name, '']), 400],
  ]),
  'Authentication 3: a GET that carries Content-Type application/json is not bound by rule 2': [
    [simple(['Content-Type', 'application/json']), 200],
  ],
  'Authentication 3, our one departure: a GET with a type that browsers send without asking stays bound by rule 2': [
    [simple(['Content-Type', 'text/plain']), 400],
  ],
};

for (const [rule, exchanges] of Object.entries(rules))
  test(`SPEC, ${rule}`, async () => {
    for (const [request, expected, options] of exchanges) {
      const response = await send(request, options);

      const head = ['content-type', 'cache-control'].map((name) => response.headers.get(name)).join(' ');
      if (typeof expected === 'number') assert.equal(response.status, expected, response.body);
      else if (expected instanceof RegExp) assert.match(`${head} ${response.body}`, expected);
      else assert.deepEqual(json(response), expected);
    }
  });

test('SPEC, What the service does 5: it runs as a long-lived process or as a function made by createHandler', async (t) => {
  const process = frontDoors.find(({ name }) => name === 'node:http')!.open(serverOf().options);
  t.after(() => process.close());

  const answers = [await process.send(post({ query: '{ echo }' })), await send(post({ query: '{ echo }' }))];

  assert.deepEqual(answers.map(json), [nothing, nothing]);
});

test("SPEC, What the service does 5: a function answers behind its platform's prefix and under any name", async () => {
  const handler = createHandler(serverOf().options);

  for (const path of ['/.netlify/functions/graphql', '/.netlify/functions/books/', '/prod/graphql'])
    assert.equal((await netlifyV1.read(await handler(netlifyV1.build(post({ query: '{ echo }' }, { path }))))).status, 200);
});

test('SPEC, Server constructor options, allowBatchedHttpRequests, and Endpoints rule 2: when false, batches are not processed', async () => {
  const { options, tally } = serverOf({ allowBatchedHttpRequests: false });

  const response = await httpAPI.read(await createHandler(options)(httpAPI.build(post([{ query: 'mutation { add(by: 1) }' }]))));

  assert.deepEqual([response.status, tally.added], [400, 0]);
});

test('SPEC, Data source rules 1, 2 and 4: dataSources is called for every operation, and its object is context.dataSources in all of it', async (t) => {
  const seen: unknown[] = [];
  const note = (_: unknown, _arguments: unknown, context: any): void => void seen.push(context.dataSources);
  const options = { dataSources: t.mock.fn(dataSources), resolvers: { Query: { user: note, echo: note } } };

  await send(post([{ query: '{ user echo }' }, { query: '{ user echo }' }]), options);

  const [first, second, ...others] = options.dataSources.mock.calls.map(({ result }) => result);
  assert.deepEqual([others, new Set(seen)], [[], new Set([first, second])]);
  assert.ok(seen.every((one) => one === first || one === second) && first !== second);
});

test('SPEC, Data source rules 3: one instance for two operations is refused in development', async () => {
  const shared = new Users();
  const batch = post([{ query: '{ echo }' }, { query: '{ echo }' }]);

  const [, second] = json(await send(batch, { nodeEnv: 'development', dataSources: () => ({ shared }) }));

  assert.match(second.errors[0].message, /must create a new instance for every operation/);
});
