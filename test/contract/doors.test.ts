/**
 * The matrix of the doors: each rule of the server, and each way in by which a request reaches an operation. A cell is the literal answer,
 * in the form of its door. A cell that cannot be is a sentence, which begins with a dash.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

import { authorization } from '../../src/entries/authorization.ts';
import { budget } from '../../src/entries/budget.ts';
import { costLine } from '../../src/entries/cost-line.ts';
import { cacheControlDefinitions, edge } from '../../src/entries/edge.ts';
import { graphqlJSExecutor } from '../../src/entries/graphql-js.ts';
import { idempotency, idempotencyDefinitions, memoryStore } from '../../src/entries/idempotency.ts';
import { incrementalDelivery } from '../../src/entries/incremental.ts';
import { createHandler } from '../../src/entries/index.ts';
import type { ServerPlugin } from '../../src/entries/index.ts';
import { limits } from '../../src/entries/limits.ts';
import { mcp } from '../../src/entries/mcp.ts';
import { openTelemetry } from '../../src/entries/opentelemetry.ts';
import { rest } from '../../src/entries/rest.ts';
import { sha256 } from '../../src/shared/sha256.ts';
import { quiet, stopTheClock } from '../support/clock.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { parseEvents } from '../support/sse.ts';

type Kind = 'query' | 'mutation';
type Values = Readonly<Record<string, unknown>>;

const variables = '($first: Int, $note: String, $tree: Tree, $trees: [Tree])';
const things = '{ things(first: $first, note: $note, tree: $tree, trees: $trees) { id title } }';
const order = '{ order(note: $note, tree: $tree, trees: $trees) { id title } }';
const documents = {
  things: `query Things${variables} @http(method: GET, route: "/things") ${things}`,
  search: `query Search${variables} @http(method: POST, route: "/search") ${things}`,
  order: `mutation Order${variables.replace('$first: Int, ', '')} @http(method: POST, route: "/orders") ${order}`,
};
const texts: Readonly<Record<Kind, string>> = {
  query: `query Things${variables} ${things}`,
  mutation: `mutation Order${variables.replace('$first: Int, ', '')} ${order}`,
};
const ids: Readonly<Record<Kind, string>> = { query: 'things', mutation: 'order' };

/** Values → a query string. A list of objects is a repeated key. */
const search = (values: Values): string =>
  Object.entries(values)
    .flatMap(([name, value]) => (name === 'trees' ? (value as unknown[]) : [value]).map((one) => [name, one] as const))
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))}`)
    .join('&');

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly accept?: string;
}

const toolCall = (name: string, given: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** The ways in by HTTP: what each sends to run a query or a mutation. */
const ways = {
  POST: (kind: Kind, values: Values, more: object): Sent => ({
    method: 'POST',
    path: '',
    body: { query: texts[kind], variables: values, ...more },
  }),
  GET: (kind: Kind, values: Values, more: object): Sent => ({
    method: 'GET',
    path: `?${search({ query: texts[kind], ...(Object.keys(values).length > 0 && { variables: values }), ...more })}`,
  }),
  QUERY: (kind: Kind, values: Values, more: object): Sent => ({
    method: 'QUERY',
    path: '',
    body: { query: texts[kind], variables: values, ...more },
  }),
  'by id': (kind: Kind, values: Values, more: object): Sent => ({
    method: 'POST',
    path: '',
    body: { documentId: ids[kind], variables: values, ...more },
  }),
  batch: (kind: Kind, values: Values, more: object): Sent => ({
    method: 'POST',
    path: '',
    body: [{ query: texts[kind], variables: values, ...more }],
  }),
  events: (kind: Kind, values: Values, more: object): Sent => ({
    method: 'POST',
    path: '',
    body: { query: texts[kind], variables: values, ...more },
    accept: 'text/event-stream',
  }),
  MCP: (kind: Kind, values: Values): Sent => ({
    method: 'POST',
    path: 'mcp',
    body: toolCall(ids[kind], values),
  }),
  run_query: (kind: Kind, values: Values): Sent => ({
    method: 'POST',
    path: 'mcp',
    body: toolCall('run_query', { query: texts[kind], variables: values }),
  }),
  'REST GET': (_kind: Kind, values: Values): Sent => ({ method: 'GET', path: `rest/things?${search(values)}` }),
  'REST POST': (kind: Kind, values: Values): Sent => ({
    method: 'POST',
    path: kind === 'query' ? 'rest/search' : 'rest/orders',
    body: values,
  }),
};

type Way = keyof typeof ways | 'direct';
const allWays = [...Object.keys(ways), 'direct'] as Way[];

interface Setting {
  readonly options?: object;
  readonly plugins?: readonly unknown[];
  /** The type and directives of Thing.title. Default: String */
  readonly title?: string;
  /** Directives of Query.things. */
  readonly hints?: string;
  /** The resolver of Thing.title. */
  readonly resolve?: (thing: unknown, values: object, context: any) => unknown;
  readonly origins?: readonly string[];
}

interface Ask {
  readonly kind?: Kind;
  readonly values?: Values;
  /** More parameters of GraphQL. */
  readonly more?: object;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The header fields of the answer that are shown. */
  readonly shows?: readonly string[];
  readonly signal?: AbortSignal;
  readonly directQuery?: string;
}

/** A server with one query and one mutation at all doors. The function sends one of them, and returns the answer in one line. */
function serve({ options, plugins = [], title = 'String', hints = '', resolve = () => 'Emma', origins = [] }: Setting) {
  const create = (explore: boolean): unknown =>
    createHandler({
      nodeEnv: 'production',
      logger: recordingLogger()[0],
      typeDefs: [
        cacheControlDefinitions,
        idempotencyDefinitions,
        `input Tree { tree: Tree }
       type Thing @cacheControl(inheritMaxAge: true) { id: ID! title: ${title} }
       type Query { things(first: Int, note: String, tree: Tree, trees: [Tree]): [Thing] ${hints} }
       type Mutation { order(note: String, tree: Tree, trees: [Tree]): Thing }`,
      ],
      resolvers: {
        Query: { things: (_: unknown, { first }: { first?: number }) => [{ id: first ?? 1 }] },
        Mutation: { order: () => ({ id: 7 }) },
        Thing: { title: resolve },
      },
      trustedDocuments: { documents },
      plugins: [
        ...(explore ? bounded(plugins) : plugins),
        mcp({
          name: 'shop',
          version: '1',
          origins,
          explore,
          tools: {
            things: { document: 'things', description: 'Finds.' },
            order: { document: 'order', description: 'Orders.' },
          },
        }),
        rest(),
      ],
      ...options,
    } as never);
  let handler: ((event: unknown, context: object) => Promise<unknown>) | undefined;

  return async (way: Way, ask: Ask = {}): Promise<string> => {
    handler ??= create(way === 'run_query') as NonNullable<typeof handler>;
    const { kind = 'query', values = {}, more = {}, headers = {}, shows = [], signal } = ask;
    if (way === 'direct') {
      const answer = await handler({ query: ask.directQuery ?? texts[kind], variables: values, ...more }, {});
      return withoutPlaces(JSON.stringify(answer));
    }
    const { path, accept = 'application/json', ...sent } = ways[way](kind, values, more);
    const { method = sent.method } = ask;
    const body = method === 'OPTIONS' ? undefined : sent.body;
    const init = {
      method,
      headers: { accept, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const response = (await handler(new Request(`https://shop.example/${path}`, init), { waitUntil: () => {} })) as Response;
    const shown = shows.flatMap((name) => (response.headers.has(name) ? [`${name}: ${response.headers.get(name)}`] : []));
    return [response.status, ...shown, inOneLine(response, withoutPlaces(await response.text()))].join(' ').trim();
  };
}

/** Agents write queries only within a price and a budget. */
function bounded(plugins: readonly unknown[]): readonly unknown[] {
  const hasBudget = plugins.some((plugin) => (plugin as ServerPlugin).once === 'budget()');
  return [limits({ maxCost: 1_000 }), ...plugins, ...(hasBudget ? [] : [points(true)])];
}

/** Leaves out the positions of errors in their documents, and the ids by which logs name them. */
function withoutPlaces(text: string): string {
  return text.replaceAll(/\\?"locations\\?":\[.*?\],/g, '').replaceAll(/,\\?"error(Id|Hash)\\?":\\?"\w+\\?"/g, '');
}

/** An event stream as its events; an answer of MCP without the members that never differ, and with JSON in place of a text that has it. */
function inOneLine(response: Response, text: string): string {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
    return parseEvents(text)
      .filter(({ event }) => event !== undefined)
      .map(({ event, data }) => [event, ...(data === '' ? [] : [JSON.stringify(data)])].join(' '))
      .join(', ');
  if (!text.startsWith('{"jsonrpc"')) return text;
  const { error, result } = JSON.parse(text) as { error?: object; result: Record<string, unknown> & { content: { text: string }[] } };
  if (error !== undefined) return JSON.stringify({ error });
  const { content, ...more } = result;
  if ('structuredContent' in more) return JSON.stringify(more);
  const [{ text: told } = { text: '' }] = content;
  return JSON.stringify({ text: told.startsWith('{') ? (JSON.parse(told) as object) : told, ...more });
}

/** A row of the matrix. The key of a cell is a way in, or several with the same answer, separated by commas. */
function rule(title: string, observe: (way: Way, t: TestContext) => Promise<string>, cells: Readonly<Record<string, string>>): void {
  const row = new Map(Object.entries(cells).flatMap(([names, cell]) => names.split(', ').map((name) => [name as Way, cell] as const)));
  describe(`${title}:`, () => {
    test('has a cell for each way in', () => assert.deepEqual([...row.keys()].toSorted(), allWays.toSorted()));
    for (const way of allWays) {
      const cell = row.get(way)!;
      if (!cell.startsWith('– ')) test(`by ${way}`, async (t) => assert.equal(await observe(way, t), cell));
    }
  });
}

const queriesOnly = '– This way in runs queries only.';
const noHTTP = '– A direct invocation is no HTTP request: it has no method, header or connection.';
const never = (): Promise<never> => new Promise(() => {});
const everyone = { identity: () => 'everyone' };
const fail = (): never => {
  throw new Error('password');
};

// Failures of an operation

rule('the message of an unexpected error is masked', (way) => serve({ resolve: fail })(way), {
  'POST, GET, QUERY, by id':
    '200 {"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":{"things":[{"id":"1","title":null}]}}',
  batch:
    '200 [{"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":{"things":[{"id":"1","title":null}]}}]',
  events:
    '200 next {"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":{"things":[{"id":"1","title":null}]}}, complete',
  run_query:
    '200 {"text":{"data":{"things":[{"id":"1","title":null}]},"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"cost":21,"left":39},"isError":true}',
  MCP: '200 {"text":{"data":{"things":[{"id":"1","title":null}]},"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}]},"isError":true}',
  'REST GET, REST POST':
    '500 {"type":"about:blank","title":"Internal Server Error","status":500,"detail":"Internal server error","code":"INTERNAL_SERVER_ERROR","errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":{"things":[{"id":"1","title":null}]}}',
  direct:
    '{"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":{"things":[{"id":"1","title":null}]}}',
});

rule(
  'the answer at the deadline has what is finished',
  async (way, t) => {
    const turn = stopTheClock(t);
    const answer = serve({ resolve: never, options: { deadline: { ms: 1_000, reserveMs: 500 } } })(way);
    await turn(600);
    return answer;
  },
  {
    'POST, GET, QUERY, by id':
      '200 {"errors":[{"message":"The deadline of the request passed before this was finished. It may have run.","path":["things",0,"title"],"extensions":{"code":"DEADLINE_EXCEEDED"}}],"data":{"things":[{"id":"1","title":null}]}}',
    batch:
      '200 [{"errors":[{"message":"The deadline of the request passed before this was finished. It may have run.","path":["things",0,"title"],"extensions":{"code":"DEADLINE_EXCEEDED"}}],"data":{"things":[{"id":"1","title":null}]}}]',
    events:
      '200 next {"errors":[{"message":"The deadline of the request passed before this was finished. It may have run.","path":["things",0,"title"],"extensions":{"code":"DEADLINE_EXCEEDED"}}],"data":{"things":[{"id":"1","title":null}]}}, complete',
    run_query:
      '200 {"text":{"data":{"things":[{"id":"1","title":null}]},"errors":[{"message":"The deadline of the request passed before this was finished. It may have run.","path":["things",0,"title"],"extensions":{"code":"DEADLINE_EXCEEDED"}}],"cost":21,"left":39},"isError":true}',
    MCP: '200 {"text":{"data":{"things":[{"id":"1","title":null}]},"errors":[{"message":"The deadline of the request passed before this was finished. It may have run.","path":["things",0,"title"],"extensions":{"code":"DEADLINE_EXCEEDED"}}]},"isError":true}',
    'REST GET, REST POST':
      '504 {"type":"about:blank","title":"Gateway Timeout","status":504,"detail":"The deadline of the request passed before this was finished. It may have run.","code":"DEADLINE_EXCEEDED","errors":[{"message":"The deadline of the request passed before this was finished. It may have run.","path":["things",0,"title"],"extensions":{"code":"DEADLINE_EXCEEDED"}}],"data":{"things":[{"id":"1","title":null}]}}',
    direct:
      '{"errors":[{"message":"The deadline of the request passed before this was finished. It may have run.","path":["things",0,"title"],"extensions":{"code":"DEADLINE_EXCEEDED"}}],"data":{"things":[{"id":"1","title":null}]}}',
  },
);

rule(
  'an answer that is too large is replaced by an error',
  (way) => serve({ resolve: () => 'x'.repeat(2_000), options: { maxResultBytes: 1_000 } })(way),
  {
    'POST, GET, QUERY, by id':
      '400 {"errors":[{"message":"The answer has about 2033 bytes, and the server (maxResultBytes) carries 1000 at most. Request less: fewer fields, or a part of the list at a time.","extensions":{"code":"RESULT_TOO_LARGE"}}]}',
    batch:
      '200 [{"errors":[{"message":"The answer has about 2033 bytes, and the server (maxResultBytes) carries 1000 at most. Request less: fewer fields, or a part of the list at a time.","extensions":{"code":"RESULT_TOO_LARGE"}}]}]',
    events:
      '200 next {"errors":[{"message":"The answer has about 2033 bytes, and the server (maxResultBytes) carries 1000 at most. Request less: fewer fields, or a part of the list at a time.","extensions":{"code":"RESULT_TOO_LARGE"}}]}, complete',
    'MCP, run_query': '200 {"text":"The answer is too large. Request less, for example fewer items.","isError":true}',
    'REST GET, REST POST':
      '400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"The answer has about 2033 bytes, and the server (maxResultBytes) carries 1000 at most. Request less: fewer fields, or a part of the list at a time.","code":"RESULT_TOO_LARGE","errors":[{"message":"The answer has about 2033 bytes, and the server (maxResultBytes) carries 1000 at most. Request less: fewer fields, or a part of the list at a time.","extensions":{"code":"RESULT_TOO_LARGE"}}]}',
    direct:
      '{"errors":[{"message":"The answer has about 2033 bytes, and the server (maxResultBytes) carries 1000 at most. Request less: fewer fields, or a part of the list at a time.","extensions":{"code":"RESULT_TOO_LARGE"}}]}',
  },
);

rule(
  'onError keeps a null where a non-null field failed',
  (way) => serve({ title: 'String!', resolve: fail })(way, { more: { onError: 'NULL' } }),
  {
    'POST, GET, QUERY, by id':
      '200 {"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":{"things":[{"id":"1","title":null}]}}',
    batch:
      '200 [{"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":{"things":[{"id":"1","title":null}]}}]',
    events:
      '200 next {"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":{"things":[{"id":"1","title":null}]}}, complete',
    MCP: '– The arguments of a tool are variables: there is no place for onError.',
    run_query: '– The arguments are a query and its variables: there is no place for onError.',
    'REST GET, REST POST': '– Parameters and body are variables: there is no place for onError.',
    direct:
      '{"errors":[{"message":"Internal server error","path":["things",0,"title"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":{"things":[{"id":"1","title":null}]}}',
  },
);

// Sizes of a request

rule(
  'a body that is too large is refused',
  (way) => serve({ options: { maxBodyBytes: 2_000 } })(way, { values: { note: 'x'.repeat(3_000) } }),
  {
    'POST, QUERY, by id, batch, events':
      '413 {"errors":[{"message":"Expected a body of at most 2000 bytes, got more.","extensions":{"code":"BAD_REQUEST"}}]}',
    GET: '414 {"errors":[{"message":"Expected a query string of at most 2000 characters, got 3291.","extensions":{"code":"BAD_REQUEST"}}]}',
    'MCP, run_query': '413 {"error":{"code":-32700,"message":"Expected a body of at most 2000 bytes, got more."}}',
    'REST GET':
      '414 {"type":"about:blank","title":"URI Too Long","status":414,"detail":"Expected a query string of at most 2000 characters, got 3005.","code":"BAD_REQUEST"}',
    'REST POST':
      '413 {"type":"about:blank","title":"Content Too Large","status":413,"detail":"Expected a body of at most 2000 bytes, got more.","code":"BAD_REQUEST"}',
    direct: '– The platform limits the payload of an invocation.',
  },
);

const nested = (depth: number): object => (depth === 0 ? {} : { tree: nested(depth - 1) });

rule('variables that are nested too deeply are refused', (way) => serve({})(way, { values: { tree: nested(250) } }), {
  'POST, GET, QUERY, by id, events':
    '422 {"errors":[{"message":"Expected \\"variables\\" to nest at most 200 levels deep, got more.","extensions":{"code":"BAD_REQUEST"}}]}',
  batch:
    '200 [{"errors":[{"message":"Expected \\"variables\\" to nest at most 200 levels deep, got more.","extensions":{"code":"BAD_REQUEST"}}]}]',
  'MCP, run_query': '400 {"error":{"code":-32700,"message":"Expected a request to nest at most 200 levels deep, got more."}}',
  'REST GET':
    '422 {"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"Expected \\"variables\\" to nest at most 200 levels deep, got more.","code":"BAD_REQUEST","errors":[{"message":"Expected \\"variables\\" to nest at most 200 levels deep, got more.","extensions":{"code":"BAD_REQUEST"}}]}',
  'REST POST':
    '422 {"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"Expected a request to nest at most 200 levels deep, got more.","code":"BAD_REQUEST"}',
  direct:
    '{"errors":[{"message":"Expected \\"variables\\" to nest at most 200 levels deep, got more.","extensions":{"code":"BAD_REQUEST"}}]}',
});

rule(
  'a body with too many objects is refused',
  (way) => serve({ options: { maxBodyBytes: 20_000 } })(way, { values: { trees: Array.from({ length: 1_100 }, () => ({})) } }),
  {
    'POST, GET, QUERY, by id, events':
      '422 {"errors":[{"message":"Expected the variables of a request to have at most 1000 objects and lists, got more.","extensions":{"code":"BAD_REQUEST"}}]}',
    batch:
      '200 [{"errors":[{"message":"Expected the variables of a request to have at most 1000 objects and lists, got more.","extensions":{"code":"BAD_REQUEST"}}]}]',
    'MCP, run_query': '400 {"error":{"code":-32700,"message":"Expected a request of at most 1000 objects and lists, got more."}}',
    'REST GET':
      '422 {"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"Expected the variables of a request to have at most 1000 objects and lists, got more.","code":"BAD_REQUEST","errors":[{"message":"Expected the variables of a request to have at most 1000 objects and lists, got more.","extensions":{"code":"BAD_REQUEST"}}]}',
    'REST POST':
      '422 {"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"Expected a request of at most 1000 objects and lists, got more.","code":"BAD_REQUEST"}',
    direct:
      '{"errors":[{"message":"Expected the variables of a request to have at most 1000 objects and lists, got more.","extensions":{"code":"BAD_REQUEST"}}]}',
  },
);

// Costs

rule('limits() refuses an operation with a price that is too high', (way) => serve({ plugins: [limits({ maxCost: 5 })] })(way), {
  'POST, GET, QUERY, by id':
    '422 {"errors":[{"message":"Expected an operation that costs at most 5, got one that costs 21.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}',
  batch:
    '200 [{"errors":[{"message":"Expected an operation that costs at most 5, got one that costs 21.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}]',
  events:
    '200 next {"errors":[{"message":"Expected an operation that costs at most 5, got one that costs 21.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}, complete',
  run_query:
    '200 {"text":{"errors":[{"message":"Expected an operation that costs at most 5, got one that costs 21.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}],"cost":21,"costliest":"things"},"isError":true}',
  MCP: '200 {"text":{"errors":[{"message":"Expected an operation that costs at most 5, got one that costs 21.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]},"isError":true}',
  'REST GET, REST POST':
    '422 {"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"Expected an operation that costs at most 5, got one that costs 21.","code":"GRAPHQL_VALIDATION_FAILED","errors":[{"message":"Expected an operation that costs at most 5, got one that costs 21.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}',
  direct:
    '{"errors":[{"message":"Expected an operation that costs at most 5, got one that costs 21.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}',
});

rule(
  'limits() refuses a page that is too large',
  (way) => serve({ plugins: [limits({ maxCost: 1_000, pageLimits: { default: 5, max: 10 } })] })(way, { values: { first: 11 } }),
  {
    'POST, GET, QUERY, by id':
      '422 {"errors":[{"message":"Expected the field \\"things\\" to be asked for 0 to 10 items, got 11.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}',
    batch:
      '200 [{"errors":[{"message":"Expected the field \\"things\\" to be asked for 0 to 10 items, got 11.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}]',
    events:
      '200 next {"errors":[{"message":"Expected the field \\"things\\" to be asked for 0 to 10 items, got 11.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}, complete',
    run_query:
      '200 {"text":{"errors":[{"message":"Expected the field \\"things\\" to be asked for 0 to 10 items, got 11.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}],"cost":0},"isError":true}',
    MCP: '200 {"text":{"errors":[{"message":"Expected the field \\"things\\" to be asked for 0 to 10 items, got 11.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]},"isError":true}',
    'REST GET, REST POST':
      '422 {"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"Expected the field \\"things\\" to be asked for 0 to 10 items, got 11.","code":"GRAPHQL_VALIDATION_FAILED","errors":[{"message":"Expected the field \\"things\\" to be asked for 0 to 10 items, got 11.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}',
    direct:
      '{"errors":[{"message":"Expected the field \\"things\\" to be asked for 0 to 10 items, got 11.","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}',
  },
);

rule(
  'limits() gives a page its default size, which is the id here',
  (way) => serve({ plugins: [limits({ maxCost: 1_000, pageLimits: { default: 5, max: 10 } })] })(way),
  {
    'POST, GET, QUERY, by id': '200 {"data":{"things":[{"id":"5","title":"Emma"}]}}',
    batch: '200 [{"data":{"things":[{"id":"5","title":"Emma"}]}}]',
    events: '200 next {"data":{"things":[{"id":"5","title":"Emma"}]}}, complete',
    run_query: '200 {"structuredContent":{"data":{"things":[{"id":"5","title":"Emma"}]},"cost":11,"left":39}}',
    MCP: '200 {"structuredContent":{"things":[{"id":"5","title":"Emma"}]}}',
    'REST GET, REST POST': '200 [{"id":"5","title":"Emma"}]',
    direct: '{"data":{"things":[{"id":"5","title":"Emma"}]}}',
  },
);

const points = (isTaken: boolean): unknown =>
  budget({
    ...everyone,
    store: { take: async () => ({ isTaken, untilFull: 6_000 }) },
    whenStoreFails: 'refuse',
    capacity: 40,
    refillPerSecond: 5,
  });

rule('budget() refuses a client without points', (way) => serve({ plugins: [points(false)] })(way, { shows: ['retry-after'] }), {
  'POST, GET, QUERY, by id, events':
    '429 retry-after: 1 {"errors":[{"message":"This operation costs 21 points, and the client has 39 left. Try again in 1 second.","extensions":{"code":"RATE_LIMITED","cost":21,"left":39,"retryAfter":1}}]}',
  batch:
    '200 [{"errors":[{"message":"This operation costs 21 points, and the client has 39 left. Try again in 1 second.","extensions":{"code":"RATE_LIMITED","cost":21,"left":39,"retryAfter":1}}]}]',
  run_query:
    '200 retry-after: 1 {"text":{"errors":[{"message":"This operation costs 21 points, and the client has 39 left. Try again in 1 second.","extensions":{"code":"RATE_LIMITED","cost":21,"left":39,"retryAfter":1}}],"cost":21,"left":39,"costliest":"things"},"isError":true}',
  MCP: '200 retry-after: 1 {"text":{"errors":[{"message":"This operation costs 21 points, and the client has 39 left. Try again in 1 second.","extensions":{"code":"RATE_LIMITED","cost":21,"left":39,"retryAfter":1}}]},"isError":true}',
  'REST GET, REST POST':
    '429 retry-after: 1 {"type":"about:blank","title":"Too Many Requests","status":429,"detail":"This operation costs 21 points, and the client has 39 left. Try again in 1 second.","code":"RATE_LIMITED","errors":[{"message":"This operation costs 21 points, and the client has 39 left. Try again in 1 second.","extensions":{"code":"RATE_LIMITED","cost":21,"left":39,"retryAfter":1}}]}',
  direct:
    '{"errors":[{"message":"This operation costs 21 points, and the client has 39 left. Try again in 1 second.","extensions":{"code":"RATE_LIMITED","cost":21,"left":39,"retryAfter":1}}]}',
});

rule(
  'budget() tells the points that are left',
  (way) => serve({ plugins: [points(true)] })(way, { shows: ['ratelimit', 'ratelimit-policy'] }),
  {
    'POST, GET, QUERY, by id':
      '200 ratelimit: "default";r=39;t=1 ratelimit-policy: "default";q=40;w=8 {"data":{"things":[{"id":"1","title":"Emma"}]}}',
    batch: '200 ratelimit: "default";r=39;t=1 ratelimit-policy: "default";q=40;w=8 [{"data":{"things":[{"id":"1","title":"Emma"}]}}]',
    events:
      '200 ratelimit: "default";r=39;t=1 ratelimit-policy: "default";q=40;w=8 next {"data":{"things":[{"id":"1","title":"Emma"}]}}, complete',
    run_query:
      '200 ratelimit: "default";r=39;t=1 ratelimit-policy: "default";q=40;w=8 {"structuredContent":{"data":{"things":[{"id":"1","title":"Emma"}]},"cost":21,"left":39}}',
    MCP: '200 ratelimit: "default";r=39;t=1 ratelimit-policy: "default";q=40;w=8 {"structuredContent":{"things":[{"id":"1","title":"Emma"}]}}',
    'REST GET, REST POST': '200 ratelimit: "default";r=39;t=1 ratelimit-policy: "default";q=40;w=8 [{"id":"1","title":"Emma"}]',
    direct: '{"data":{"things":[{"id":"1","title":"Emma"}]}}',
  },
);

// Rights

const rights = (scopes: readonly string[] | undefined) =>
  serve({ title: 'String @requiresScopes(scopes: [["titles:read"]])', plugins: [authorization({ claims: () => scopes })] });

rule('a caller who is nobody gets 401', (way) => rights(undefined)(way, { shows: ['www-authenticate'] }), {
  'POST, GET, QUERY, by id':
    '401 www-authenticate: Bearer scope="titles:read" {"errors":[{"message":"Sign in to run this operation. Missing scopes: titles:read.","extensions":{"code":"UNAUTHENTICATED","missing":["titles:read"],"needed":["titles:read"]}}]}',
  batch:
    '200 www-authenticate: Bearer scope="titles:read" [{"errors":[{"message":"Sign in to run this operation. Missing scopes: titles:read.","extensions":{"code":"UNAUTHENTICATED","missing":["titles:read"],"needed":["titles:read"]}}]}]',
  events:
    '200 www-authenticate: Bearer scope="titles:read" next {"errors":[{"message":"Sign in to run this operation. Missing scopes: titles:read.","extensions":{"code":"UNAUTHENTICATED","missing":["titles:read"],"needed":["titles:read"]}}]}, complete',
  'MCP, run_query': '401 www-authenticate: Bearer scope="titles:read" Unauthorized',
  'REST GET, REST POST':
    '401 www-authenticate: Bearer scope="titles:read" {"type":"about:blank","title":"Unauthorized","status":401,"detail":"Sign in to run this operation. Missing scopes: titles:read.","code":"UNAUTHENTICATED","errors":[{"message":"Sign in to run this operation. Missing scopes: titles:read.","extensions":{"code":"UNAUTHENTICATED","missing":["titles:read"],"needed":["titles:read"]}}]}',
  direct:
    '{"errors":[{"message":"Sign in to run this operation. Missing scopes: titles:read.","extensions":{"code":"UNAUTHENTICATED","missing":["titles:read"],"needed":["titles:read"]}}]}',
});

rule('a caller without the scope gets 403, which names it', (way) => rights([])(way, { shows: ['www-authenticate'] }), {
  'POST, GET, QUERY, by id':
    '403 www-authenticate: Bearer scope="titles:read", error="insufficient_scope" {"errors":[{"message":"You may not run this operation. Missing scopes: titles:read.","extensions":{"code":"FORBIDDEN","missing":["titles:read"],"needed":["titles:read"]}}]}',
  batch:
    '200 www-authenticate: Bearer scope="titles:read", error="insufficient_scope" [{"errors":[{"message":"You may not run this operation. Missing scopes: titles:read.","extensions":{"code":"FORBIDDEN","missing":["titles:read"],"needed":["titles:read"]}}]}]',
  events:
    '200 www-authenticate: Bearer scope="titles:read", error="insufficient_scope" next {"errors":[{"message":"You may not run this operation. Missing scopes: titles:read.","extensions":{"code":"FORBIDDEN","missing":["titles:read"],"needed":["titles:read"]}}]}, complete',
  'MCP, run_query': '403 www-authenticate: Bearer scope="titles:read", error="insufficient_scope" Forbidden',
  'REST GET, REST POST':
    '403 www-authenticate: Bearer scope="titles:read", error="insufficient_scope" {"type":"about:blank","title":"Forbidden","status":403,"detail":"You may not run this operation. Missing scopes: titles:read.","code":"FORBIDDEN","errors":[{"message":"You may not run this operation. Missing scopes: titles:read.","extensions":{"code":"FORBIDDEN","missing":["titles:read"],"needed":["titles:read"]}}]}',
  direct:
    '{"errors":[{"message":"You may not run this operation. Missing scopes: titles:read.","extensions":{"code":"FORBIDDEN","missing":["titles:read"],"needed":["titles:read"]}}]}',
});

rule('a caller with the scope gets the data', (way) => rights(['titles:read'])(way), {
  'POST, GET, QUERY, by id': '200 {"data":{"things":[{"id":"1","title":"Emma"}]}}',
  batch: '200 [{"data":{"things":[{"id":"1","title":"Emma"}]}}]',
  events: '200 next {"data":{"things":[{"id":"1","title":"Emma"}]}}, complete',
  run_query: '200 {"structuredContent":{"data":{"things":[{"id":"1","title":"Emma"}]},"cost":21,"left":39}}',
  MCP: '200 {"structuredContent":{"things":[{"id":"1","title":"Emma"}]}}',
  'REST GET, REST POST': '200 [{"id":"1","title":"Emma"}]',
  direct: '{"data":{"things":[{"id":"1","title":"Emma"}]}}',
});

// Mutations that run once

const keyed = (key: string, note: string): Ask => ({
  kind: 'mutation',
  values: { note },
  headers: { 'idempotency-key': `"${key}"` },
  shows: ['idempotent-replayed', 'retry-after'],
  directQuery: `mutation Order($note: String) { order(note: $note) @idempotent(key: "${key}") { id title } }`,
});

function once(resolve: () => unknown) {
  return serve({ resolve, plugins: [idempotency({ ...everyone, store: memoryStore({ isOnlyProcess: true }) })] });
}

rule(
  'a mutation with the same key runs once',
  async (way) => {
    let runs = 0;
    const send = once(() => `run ${++runs}`);
    await send(way, keyed('k', 'a'));
    return send(way, keyed('k', 'a'));
  },
  {
    'POST, by id': '200 idempotent-replayed: true {"data":{"order":{"id":"7","title":"run 1"}}}',
    'GET, QUERY, run_query, REST GET': queriesOnly,
    batch: '200 [{"data":{"order":{"id":"7","title":"run 1"}}}]',
    events: '200 idempotent-replayed: true next {"data":{"order":{"id":"7","title":"run 1"}}}, complete',
    MCP: '200 idempotent-replayed: true {"structuredContent":{"order":{"id":"7","title":"run 1"}}}',
    'REST POST': '200 idempotent-replayed: true {"id":"7","title":"run 1"}',
    direct: '{"data":{"order":{"id":"7","title":"run 1"}}}',
  },
);

rule(
  'a key of another request is refused',
  async (way) => {
    const send = once(() => 'Emma');
    await send(way, keyed('k', 'a'));
    return send(way, keyed('k', 'b'));
  },
  {
    'POST, by id, events':
      '422 {"errors":[{"message":"The first request with this idempotency key had another operation.","extensions":{"code":"IDEMPOTENCY_KEY_REUSED"}}]}',
    'GET, QUERY, run_query, REST GET': queriesOnly,
    batch:
      '200 [{"errors":[{"message":"The first request with this idempotency key had another operation.","extensions":{"code":"IDEMPOTENCY_KEY_REUSED"}}]}]',
    MCP: '200 {"text":{"errors":[{"message":"The first request with this idempotency key had another operation.","extensions":{"code":"IDEMPOTENCY_KEY_REUSED"}}]},"isError":true}',
    'REST POST':
      '422 {"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"The first request with this idempotency key had another operation.","code":"IDEMPOTENCY_KEY_REUSED","errors":[{"message":"The first request with this idempotency key had another operation.","extensions":{"code":"IDEMPOTENCY_KEY_REUSED"}}]}',
    direct:
      '{"errors":[{"message":"The first request with this idempotency key had another operation.","extensions":{"code":"IDEMPOTENCY_KEY_REUSED"}}]}',
  },
);

rule(
  'a key whose request is still running is refused',
  async (way) => {
    let release = (_: unknown): void => {};
    const send = once(() => new Promise((resolve) => (release = resolve)));
    const first = send(way, keyed('k', 'a'));
    await quiet();
    const second = await send(way, keyed('k', 'a'));
    release('Emma');
    await first;
    return second;
  },
  {
    'POST, by id, events':
      '409 retry-after: 5 {"errors":[{"message":"The first request with this idempotency key is still running.","extensions":{"code":"IDEMPOTENCY_IN_PROGRESS","retryAfter":5}}]}',
    'GET, QUERY, run_query, REST GET': queriesOnly,
    batch:
      '200 [{"errors":[{"message":"The first request with this idempotency key is still running.","extensions":{"code":"IDEMPOTENCY_IN_PROGRESS","retryAfter":5}}]}]',
    MCP: '200 retry-after: 5 {"text":{"errors":[{"message":"The first request with this idempotency key is still running.","extensions":{"code":"IDEMPOTENCY_IN_PROGRESS","retryAfter":5}}]},"isError":true}',
    'REST POST':
      '409 retry-after: 5 {"type":"about:blank","title":"Conflict","status":409,"detail":"The first request with this idempotency key is still running.","code":"IDEMPOTENCY_IN_PROGRESS","errors":[{"message":"The first request with this idempotency key is still running.","extensions":{"code":"IDEMPOTENCY_IN_PROGRESS","retryAfter":5}}]}',
    direct:
      '{"errors":[{"message":"The first request with this idempotency key is still running.","extensions":{"code":"IDEMPOTENCY_IN_PROGRESS","retryAfter":5}}]}',
  },
);

rule(
  'the answer by id is replayed at each door that runs the same document with the same key',
  async (way) => {
    let runs = 0;
    const send = once(() => `run ${++runs}`);
    await send('by id', keyed('k', 'a'));
    return send(way, keyed('k', 'a'));
  },
  {
    'POST, events':
      '422 {"errors":[{"message":"The first request with this idempotency key had another operation.","extensions":{"code":"IDEMPOTENCY_KEY_REUSED"}}]}',
    'GET, QUERY, run_query, REST GET': queriesOnly,
    'by id': '200 idempotent-replayed: true {"data":{"order":{"id":"7","title":"run 1"}}}',
    batch:
      '200 [{"errors":[{"message":"The first request with this idempotency key had another operation.","extensions":{"code":"IDEMPOTENCY_KEY_REUSED"}}]}]',
    MCP: '200 idempotent-replayed: true {"structuredContent":{"order":{"id":"7","title":"run 1"}}}',
    'REST POST': '200 idempotent-replayed: true {"id":"7","title":"run 1"}',
    direct:
      '{"errors":[{"message":"The first request with this idempotency key had another operation.","extensions":{"code":"IDEMPOTENCY_KEY_REUSED"}}]}',
  },
);

// Reports

rule(
  'the cost line names the operation and a door that is not that for GraphQL',
  async (way) => {
    const lines: string[] = [];
    const write = (_line: string, { operation, type, door, route, status }: Record<string, unknown>): void =>
      void lines.push(JSON.stringify({ operation, type, door, route, status }));
    await serve({ plugins: [costLine({ write } as never)] })(way);
    await quiet();
    return lines.join(' ');
  },
  {
    'POST, GET, QUERY, by id, batch, events, direct': '{"operation":"Things","type":"query","status":200}',
    'MCP, run_query': '{"operation":"Things","type":"query","door":"mcp","status":200}',
    'REST GET': '{"operation":"Things","type":"query","door":"rest","route":"/things","status":200}',
    'REST POST': '{"operation":"Search","type":"query","door":"rest","route":"/search","status":200}',
  },
);

rule(
  'explain is in the answer',
  async (way) => {
    const answer = await serve({ options: { nodeEnv: 'development' } })(way, { headers: { 'graphql-functions-explain': '1' } });
    return answer.replace(/("milliseconds":\{).*?\}/, '$1…}');
  },
  {
    'POST, GET, QUERY, by id':
      '200 {"data":{"things":[{"id":"1","title":"Emma"}]},"extensions":{"explain":{"milliseconds":{…},"calls":[]}}}',
    batch: '200 [{"data":{"things":[{"id":"1","title":"Emma"}]},"extensions":{"explain":{"milliseconds":{…},"calls":[]}}}]',
    events: '200 next {"data":{"things":[{"id":"1","title":"Emma"}]},"extensions":{"explain":{"milliseconds":{…},"calls":[]}}}, complete',
    run_query:
      '200 {"structuredContent":{"data":{"things":[{"id":"1","title":"Emma"}]},"cost":21,"left":39},"_meta":{"graphql-functions/extensions":{"explain":{"door":"mcp","milliseconds":{…},"calls":[]}}}}',
    MCP: '200 {"structuredContent":{"things":[{"id":"1","title":"Emma"}]},"_meta":{"graphql-functions/extensions":{"explain":{"door":"mcp","milliseconds":{…},"calls":[]}}}}',
    'REST GET, REST POST':
      '200 {"data":{"things":[{"id":"1","title":"Emma"}]},"extensions":{"explain":{"door":"rest","milliseconds":{…},"calls":[]}}}',
    direct: '– A direct invocation has no header that could ask for it.',
  },
);

rule(
  'the span has the name of the operation’s type, or of the door',
  async (way) => {
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    await serve({ plugins: [openTelemetry({ tracerProvider })] })(way);
    await quiet();
    return exporter
      .getFinishedSpans()
      .map(({ name }) => name)
      .join(', ');
  },
  {
    'POST, GET, QUERY, by id, batch, events, direct': 'query',
    'MCP, run_query': 'mcp query',
    'REST GET': 'GET /things',
    'REST POST': 'POST /search',
  },
);

// Caches

const cached = (hints: string, purged: string[] = []) =>
  serve({ hints, plugins: [edge({ cdn: 'varnish', purge: async (tags) => void purged.push(...tags) })] });

rule(
  'an answer that everybody may read is public only where its URL names it',
  (way) => cached('@cacheControl(maxAge: 60)')(way, { shows: ['cache-control', 'xkey'] }),
  {
    'POST, QUERY, by id': '200 cache-control: private, no-store {"data":{"things":[{"id":"1","title":"Emma"}]}}',
    GET: '200 cache-control: public, max-age=0, s-maxage=60 xkey: t:Thing l:Thing q:things e:Thing:1 {"data":{"things":[{"id":"1","title":"Emma"}]}}',
    batch: '200 cache-control: private, no-store [{"data":{"things":[{"id":"1","title":"Emma"}]}}]',
    events: '200 cache-control: private, no-store, no-transform next {"data":{"things":[{"id":"1","title":"Emma"}]}}, complete',
    run_query:
      '200 cache-control: private, no-store {"structuredContent":{"data":{"things":[{"id":"1","title":"Emma"}]},"cost":21,"left":39}}',
    MCP: '200 cache-control: private, no-store {"structuredContent":{"things":[{"id":"1","title":"Emma"}]}}',
    'REST GET': '200 cache-control: public, max-age=0, s-maxage=60 xkey: t:Thing l:Thing q:things e:Thing:1 [{"id":"1","title":"Emma"}]',
    'REST POST': '200 cache-control: private, no-store [{"id":"1","title":"Emma"}]',
    direct: noHTTP,
  },
);

rule(
  'an answer for one user is private',
  (way) => cached('@cacheControl(maxAge: 60, scope: PRIVATE)')(way, { shows: ['cache-control', 'xkey'] }),
  {
    'POST, GET, QUERY, by id': '200 cache-control: private, no-store {"data":{"things":[{"id":"1","title":"Emma"}]}}',
    batch: '200 cache-control: private, no-store [{"data":{"things":[{"id":"1","title":"Emma"}]}}]',
    events: '200 cache-control: private, no-store, no-transform next {"data":{"things":[{"id":"1","title":"Emma"}]}}, complete',
    run_query:
      '200 cache-control: private, no-store {"structuredContent":{"data":{"things":[{"id":"1","title":"Emma"}]},"cost":21,"left":39}}',
    MCP: '200 cache-control: private, no-store {"structuredContent":{"things":[{"id":"1","title":"Emma"}]}}',
    'REST GET, REST POST': '200 cache-control: private, no-store [{"id":"1","title":"Emma"}]',
    direct: noHTTP,
  },
);

rule(
  'a mutation purges the tags of what it changed, which answers of all doors have',
  async (way) => {
    const purged: string[] = [];
    await cached('@cacheControl(maxAge: 60)', purged)(way, { kind: 'mutation' });
    await quiet();
    return purged.join(' ');
  },
  {
    'POST, by id, batch, events, MCP, REST POST, direct': 'e:Thing:7 u:Thing l:Thing',
    'GET, QUERY, run_query, REST GET': queriesOnly,
  },
);

// Pages of other sites

const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

rule(
  'a page of another site can run nothing without a preflight, except a REST GET, whose answer it cannot read',
  (way) => {
    const type: Record<string, string> = way.includes('GET') ? {} : { 'content-type': 'text/plain' };
    return serve({ options: { csrfPrevention: true } })(way, { headers: { ...foreign, ...type }, shows: ['access-control-allow-origin'] });
  },
  {
    'POST, GET, by id, batch, events':
      '400 {"errors":[{"message":"This request was refused because a page of another site could have sent it without a preflight (cross-site request forgery). Send \\"content-type: application/json\\", or one of these headers with a value that is not empty: graphql-require-preflight, x-vendor-operation-name, vendor-require-preflight, x-apollo-operation-name, apollo-require-preflight.","extensions":{"code":"BAD_REQUEST"}}]}',
    QUERY: '– Browsers ask first: QUERY is no simple method.',
    'MCP, run_query': '403 The origin is not allowed.',
    'REST GET': '200 [{"id":"1","title":"Emma"}]',
    'REST POST':
      '415 {"type":"about:blank","title":"Unsupported Media Type","status":415,"detail":"Expected content-type application/json, got text/plain.","code":"BAD_REQUEST"}',
    direct: noHTTP,
  },
);

const app = 'https://app.example';
const allowed = { options: { cors: { origin: app } }, origins: [app] };

rule(
  'a page of an allowed origin can read the answer',
  (way) => serve(allowed)(way, { headers: { origin: app }, shows: ['access-control-allow-origin'] }),
  {
    'POST, GET, QUERY, by id': '200 access-control-allow-origin: https://app.example {"data":{"things":[{"id":"1","title":"Emma"}]}}',
    batch: '200 access-control-allow-origin: https://app.example [{"data":{"things":[{"id":"1","title":"Emma"}]}}]',
    events: '200 access-control-allow-origin: https://app.example next {"data":{"things":[{"id":"1","title":"Emma"}]}}, complete',
    run_query:
      '200 access-control-allow-origin: https://app.example {"structuredContent":{"data":{"things":[{"id":"1","title":"Emma"}]},"cost":21,"left":39}}',
    MCP: '200 access-control-allow-origin: https://app.example {"structuredContent":{"things":[{"id":"1","title":"Emma"}]}}',
    'REST GET, REST POST': '200 access-control-allow-origin: https://app.example [{"id":"1","title":"Emma"}]',
    direct: noHTTP,
  },
);

rule(
  'a preflight of an allowed origin names the methods',
  (way) =>
    serve(allowed)(way, {
      method: 'OPTIONS',
      headers: { origin: app, 'access-control-request-method': 'POST' },
      shows: ['access-control-allow-origin', 'access-control-allow-methods'],
    }),
  {
    'POST, GET, QUERY, by id, batch, events':
      '204 access-control-allow-origin: https://app.example access-control-allow-methods: GET, POST, QUERY',
    'MCP, run_query, REST POST': '204 access-control-allow-origin: https://app.example access-control-allow-methods: POST',
    'REST GET': '204 access-control-allow-origin: https://app.example access-control-allow-methods: GET, HEAD',
    direct: noHTTP,
  },
);

// Clients that leave

/** Says whether the signal aborts that `context` gets. */
async function leave(way: Way, kind: Kind): Promise<string> {
  const client = new AbortController();
  let seen: AbortSignal | undefined;
  const resolve = (_: unknown, _values: object, { signal }: { signal: AbortSignal }): Promise<never> => {
    seen = signal;
    return never();
  };
  const send = serve({ resolve, options: { context: ({ signal }: { signal: AbortSignal }) => ({ signal }) } });
  void send(way, { kind, signal: client.signal }).catch(() => {});
  await quiet();
  const before = seen?.aborted;
  client.abort();
  await quiet();
  return `before ${before}, after ${seen?.aborted}`;
}

rule('the signal of a query aborts when the client leaves', (way) => leave(way, 'query'), {
  'POST, GET, QUERY, by id, batch, events, MCP, run_query, REST GET, REST POST': 'before false, after true',
  direct: noHTTP,
});

rule('the signal of a mutation aborts when the client leaves', (way) => leave(way, 'mutation'), {
  'POST, by id, batch, events, MCP, REST POST': 'before false, after true',
  'GET, QUERY, run_query, REST GET': queriesOnly,
  direct: noHTTP,
});

// Requests that no door takes

rule('an unknown method is refused', (way) => serve({})(way, { method: 'PATCH', shows: ['allow'] }), {
  'POST, GET, QUERY, by id, batch, events':
    '405 allow: GET, POST, QUERY {"errors":[{"message":"Expected GET, POST or QUERY, got PATCH.","extensions":{"code":"BAD_REQUEST"}}]}',
  'MCP, run_query': '405 allow: POST Expected POST, got PATCH.',
  'REST GET':
    '405 allow: GET, HEAD {"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"Expected GET or HEAD, got PATCH.","code":"BAD_REQUEST"}',
  'REST POST':
    '405 allow: POST {"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"Expected POST, got PATCH.","code":"BAD_REQUEST"}',
  direct: noHTTP,
});

rule('an unknown content type is refused', (way) => serve({})(way, { headers: { 'content-type': 'text/csv' }, shows: ['accept-post'] }), {
  'POST, GET, QUERY, by id, batch, events':
    '415 accept-post: application/json {"errors":[{"message":"Expected content-type application/json, got text/csv.","extensions":{"code":"BAD_REQUEST"}}]}',
  'MCP, run_query': '415 Expected content-type application/json, got text/csv.',
  'REST GET': '200 [{"id":"1","title":"Emma"}]',
  'REST POST':
    '415 {"type":"about:blank","title":"Unsupported Media Type","status":415,"detail":"Expected content-type application/json, got text/csv.","code":"BAD_REQUEST"}',
  direct: noHTTP,
});

rule('an encoded body is refused', (way) => serve({})(way, { headers: { 'content-encoding': 'gzip' }, shows: ['accept-encoding'] }), {
  'POST, GET, QUERY, by id, batch, events':
    '415 accept-encoding: identity {"errors":[{"message":"Expected a body without content-encoding, got one.","extensions":{"code":"BAD_REQUEST"}}]}',
  'MCP, run_query': '415 accept-encoding: identity Expected a body without content-encoding, got one.',
  'REST GET': '200 [{"id":"1","title":"Emma"}]',
  'REST POST':
    '415 accept-encoding: identity {"type":"about:blank","title":"Unsupported Media Type","status":415,"detail":"Expected a body without content-encoding, got one.","code":"BAD_REQUEST"}',
  direct: noHTTP,
});

rule('an Accept that allows no format of the door is refused', (way) => serve({})(way, { headers: { accept: 'image/png' } }), {
  'POST, GET, QUERY, by id, batch, events':
    '406 {"errors":[{"message":"Expected Accept to allow application/graphql-response+json or application/json, or for a single POST text/event-stream, on a platform that streams: a web Request, Node, createStreamingHandler on AWS.","extensions":{"code":"BAD_REQUEST"}}]}',
  'MCP, run_query': '406 Expected Accept to allow application/json.',
  'REST GET, REST POST':
    '406 {"type":"about:blank","title":"Not Acceptable","status":406,"detail":"Expected Accept to allow application/json or application/problem+json.","code":"BAD_REQUEST"}',
  direct: noHTTP,
});

rule(
  'a failed start has no doors: its answer is that for GraphQL at every path',
  (way) => serve({ plugins: [{ serverWillStart: fail }] })(way),
  {
    'POST, GET, QUERY, by id, batch, events, MCP, run_query, REST GET, REST POST':
      '500 {"errors":[{"message":"Internal server error","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}',
    direct: '{"errors":[{"message":"Internal server error","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}',
  },
);

// Every form of a request, with each plugin that refuses or counts, and both executors

const shortQuery = '{ a { id } }';
const shortOrder = 'mutation Order { order { id } }';

/** The ways in which an operation reaches a server, each with what it sends. Without the third, the handler is invoked directly. */
const doors: Readonly<Record<string, readonly [kind: Kind | 'subscription', body: unknown, sent?: Partial<Sent>]>> = {
  POST: ['query', { query: shortQuery }, {}],
  'a mutation by POST': ['mutation', { query: shortOrder }, {}],
  GET: ['query', undefined, { method: 'GET', path: `?query=${encodeURIComponent(shortQuery)}` }],
  QUERY: ['query', { query: shortQuery }, { method: 'QUERY' }],
  'a batch': ['mutation', [{ query: shortOrder }], {}],
  'a trusted document': ['mutation', { documentId: 'order' }, {}],
  'a persisted query': ['query', { query: shortQuery, extensions: { persistedQuery: { version: 1, sha256Hash: sha256(shortQuery) } } }, {}],
  'a subscription': ['subscription', { query: 'subscription { ticks { id } }' }, { accept: 'text/event-stream' }],
  'an event stream with a query': ['query', { query: shortQuery }, { accept: 'text/event-stream' }],
  'an answer in parts': ['query', { query: '{ ... @defer { a { id } } }' }, { accept: 'multipart/mixed' }],
  'a tool of MCP': ['mutation', toolCall('order', {}), { path: 'mcp' }],
  'a GET of REST': ['query', undefined, { method: 'GET', path: 'rest/a' }],
  'a POST of REST': ['mutation', {}, { path: 'rest/orders' }],
  'a direct invocation': ['mutation', { query: shortOrder }],
};

const routes = {
  a: 'query A @http(method: GET, route: "/a") { a { id } }',
  placeOrder: 'mutation PlaceOrder @http(method: POST, route: "/orders") { order { id } }',
};
const spanNames: Readonly<Record<string, string>> = {
  'a tool of MCP': 'mcp mutation',
  'a GET of REST': 'GET /a',
  'a POST of REST': 'POST /orders',
};

const typeDefs = 'type Query { a: Thing } type Mutation { order: Thing } type Subscription { ticks: Thing } type Thing { id: ID! }';

/** Sends the operation by a door to a server with these plugins. Returns the text of the answer, and the fields that have run. */
async function enter(door: string, plugins: readonly unknown[], isPlanned = true): Promise<{ text: string; runs: string[] }> {
  const runs: string[] = [];
  const run = (name: string) => (): object => ({ id: runs.push(name) });
  const handler = createHandler({
    nodeEnv: 'test',
    logger: recordingLogger()[0],
    typeDefs,
    resolvers: {
      Query: { a: run('query') },
      Mutation: { order: run('mutation') },
      Subscription: {
        ticks: {
          subscribe: async function* () {
            yield { ticks: run('subscription')() };
          },
        },
      },
    } as never,
    trustedDocuments: { documents: { order: shortOrder, ...routes } },
    ...(isPlanned ? { incrementalDelivery: incrementalDelivery() } : { executor: graphqlJSExecutor() }),
    plugins: [
      mcp({ name: 'shop', version: '1', tools: { order: { document: 'order', description: 'Orders.' } } }),
      rest(),
      ...(plugins as ServerPlugin[]),
    ],
  });
  const [, body, sent] = doors[door]!;
  if (sent === undefined) return { text: JSON.stringify(await handler(body as never, {})), runs };
  const { method = 'POST', path = '', accept = 'application/json' } = sent;
  const init = { method, headers: { 'content-type': 'application/json', accept }, ...(method !== 'GET' && { body: JSON.stringify(body) }) };
  const response = await handler(new Request(`https://shop.example/${path}`, init), { waitUntil: () => {} });
  return { text: await response.text(), runs };
}

const empty = { take: async () => ({ isTaken: false, untilFull: 1_000_000 }) };
const dear = { 'Query.a': 2, 'Mutation.order': 2, 'Subscription.ticks': 2 };

/** Extensions that refuse every operation, or every mutation, and the code of the refusal. */
const refusing: readonly (readonly [name: string, create: () => unknown, code: RegExp, onlyMutations?: true])[] = [
  ['budget', () => budget({ ...everyone, store: empty, whenStoreFails: 'refuse', capacity: 10, refillPerSecond: 1 }), /RATE_LIMITED/],
  ['limits', () => limits({ maxCost: 1, fields: dear }), /GRAPHQL_VALIDATION_FAILED/],
  ['idempotency', () => idempotency({ ...everyone, store: memoryStore(), required: true }), /IDEMPOTENCY_KEY_REQUIRED/, true],
];

for (const [name, create, code, onlyMutations] of refusing)
  describe(`what ${name} refuses does not run:`, () => {
    for (const [door, [kind]] of Object.entries(doors))
      for (const isPlanned of [true, false])
        // graphql-js runs operations without parts.
        if ((onlyMutations !== true || kind === 'mutation') && (isPlanned || door !== 'an answer in parts'))
          test(`by ${door}, ${isPlanned ? 'planned' : 'with graphql-js'}`, async () => {
            const { text, runs } = await enter(door, [create()], isPlanned);

            assert.match(text, code);
            assert.deepEqual(runs, []);
          });
  });

describe('costLine, openTelemetry, budget and edge see an operation once:', () => {
  for (const [door, [kind]] of Object.entries(doors))
    test(`by ${door}`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const seen = { lines: [] as unknown[], points: [] as number[], purges: [] as string[] };
      const exporter = new InMemorySpanExporter();
      const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
      const take = async (_id: string, { cost }: { cost: number }) => (seen.points.push(cost / 1_000_000), { isTaken: true, untilFull: 1 });

      const { text, runs } = await enter(door, [
        costLine({ write: (_line, { type }) => void seen.lines.push(type) }),
        openTelemetry({ tracerProvider }),
        budget({ ...everyone, store: { take }, whenStoreFails: 'refuse', capacity: 10, refillPerSecond: 1 }),
        edge({ cdn: 'varnish', purge: async (tags) => void seen.purges.push(...tags.filter((tag) => tag.startsWith('e:'))) }),
      ]);

      await quiet();

      assert.doesNotMatch(text, /"errors"/);
      assert.deepEqual(runs, [kind]);
      const names = exporter.getFinishedSpans().map((span) => span.name);
      assert.deepEqual(names, [spanNames[door] ?? kind]);
      assert.deepEqual(seen, { lines: [kind], points: [2], purges: kind === 'mutation' ? ['e:Thing:1'] : [] });
    });
});
