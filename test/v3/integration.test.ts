import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { buildSchema, GraphQLError } from 'graphql';

import { ApolloServer } from '../../src/entries/v3.ts';
import {
  ApolloServerBase,
  convertNodeHttpToRequest,
  isHttpQueryError,
  resolveGraphqlOptions,
  runHttpQuery,
} from '../../src/entries/v3/core.ts';
import type { Config, GraphQLOptions } from '../../src/entries/v3/core.ts';
import { sender, silent } from './server.ts';

const typeDefs = 'type Query { hello: String who: String boom: String } type Mutation { touch: String }';
const resolvers = {
  Query: {
    hello: () => 'world',
    who: (_: unknown, __: unknown, { user }: { user: string }) => user,
    boom() {
      throw new Error('It went off');
    },
  },
};

/** A custom host, such as projects wrote for frameworks that version 3 did not support. */
class HostedServer extends ApolloServerBase<{ req: IncomingMessage }> {
  async createGraphQLServerOptions(req: IncomingMessage): Promise<GraphQLOptions> {
    return super.graphQLServerOptions({ req });
  }

  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { query, method } = await readRequest(req);
    try {
      const { graphqlResponse, responseInit } = await runHttpQuery(
        [req, res],
        { method, query, options: () => this.createGraphQLServerOptions(req), request: convertNodeHttpToRequest(req) },
        this.csrfPreventionRequestHeaders,
      );
      res.writeHead(responseInit.status ?? 200, responseInit.headers).end(graphqlResponse);
    } catch (error) {
      if (!isHttpQueryError(error)) throw error;
      res.writeHead(error.statusCode, { ...error.headers, 'x-refused': String(error.isGraphQLError) }).end(error.message);
    }
  }
}

async function readRequest(req: IncomingMessage): Promise<{ method: string; query: any }> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  const url = new URL(req.url!, 'http://host');
  return { method: req.method!, query: req.method === 'POST' && text !== '' ? JSON.parse(text) : Object.fromEntries(url.searchParams) };
}

async function hosted(context: TestContext, config: Config = {}): Promise<string> {
  const server = new HostedServer({
    typeDefs,
    resolvers,
    logger: silent,
    context: ({ req }) => ({ user: req.headers['x-user'] }),
    ...config,
  });
  await server.start();
  const listener = createServer((req, res) => void server.answer(req, res)).listen(0, '127.0.0.1');
  context.after(() => listener.close());
  await new Promise((resolve) => listener.once('listening', resolve));
  return `http://127.0.0.1:${(listener.address() as { port: number }).port}/`;
}

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

test('a custom host responds with runHttpQuery, and its plugins see the request and set header fields', async (context) => {
  const seen: unknown[] = [];
  const plugin = {
    async requestDidStart({ request: { http } }: any) {
      seen.push([http.method, http.url, http.headers.get('x-user')]);
      return {
        async willSendResponse({ response }: any) {
          response.http.headers.set('x-plugin', 'yes');
          response.http.headers.append('set-cookie', 'a=1');
          response.http.headers.append('set-cookie', 'b=2');
        },
      };
    },
  };
  const url = await hosted(context, { plugins: [plugin] });

  const answer = await fetch(`${url}?x=1`, post({ query: '{ hello who }' }, { 'x-user': 'ada' }));
  const batch = await fetch(url, post([{ query: '{ hello }' }, { query: '{ boom }' }]));

  deepEqual([answer.status, await answer.json()], [200, { data: { hello: 'world', who: 'ada' } }]);
  deepEqual([answer.headers.get('content-type'), answer.headers.get('x-plugin')], ['application/json', 'yes']);
  deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2']);
  deepEqual(seen[0], ['POST', '/?x=1', 'ada']);
  equal(((await batch.json()) as unknown[]).length, 2);
});

test('runHttpQuery rejects with an HttpQueryError if no operation ran', async (context) => {
  const url = await hosted(context, { csrfPrevention: true });
  const refusal = async (sent: Promise<Response>): Promise<unknown> => {
    const { status, headers } = await sent;
    return [status, headers.get('x-refused'), headers.get('content-type'), headers.get('allow')];
  };

  deepEqual(await refusal(fetch(url, post({ query: '{' }))), [400, 'true', 'application/json', null]);
  deepEqual(await refusal(fetch(url, post({}))), [400, 'false', null, null]);
  deepEqual(await refusal(fetch(`${url}?query={hello}`)), [400, 'false', null, null]);
  const mutation = fetch(`${url}?query=${encodeURIComponent('mutation { touch }')}`, { headers: { 'apollo-require-preflight': '1' } });
  deepEqual(await refusal(mutation), [405, 'true', 'application/json', 'POST']);
  deepEqual(await refusal(fetch(url, { method: 'PUT' })), [400, 'false', null, null]);
});

test('options written by a host require only a schema', async () => {
  const options = { schema: buildSchema('type Query { hello: String }'), rootValue: { hello: 'by hand' } } as GraphQLOptions;
  const ask = (given: unknown, query: string): ReturnType<typeof runHttpQuery> =>
    runHttpQuery(['one'], {
      method: 'POST',
      query: { query },
      options: given as GraphQLOptions,
      request: { url: '/', method: 'POST', headers: new Headers({ 'x-user': 'ada' }) },
    });

  equal((await ask(options, '{ hello }')).graphqlResponse, '{"data":{"hello":"by hand"}}\n');
  equal((await ask(async () => options, '{ hello }')).responseInit.status, undefined);
  await rejects(ask(options, '{ nope }'), { statusCode: 400, isGraphQLError: true });
  const failing = (): never => {
    throw new Error('no options');
  };
  await rejects(ask(failing, '{ hello }'), { statusCode: 500 });
  equal((await resolveGraphqlOptions((name: string) => ({ ...options, nodeEnv: name }), 'given')).nodeEnv, 'given');
});

test('a subclass can use another schema and other rules for each request', async () => {
  const schemas = [1, 2].map((tenant) => buildSchema(`type Query { tenant${tenant}: String }`));
  class Tenants extends ApolloServer {
    override async createGraphQLServerOptions(...args: Parameters<ApolloServer['createGraphQLServerOptions']>): Promise<GraphQLOptions> {
      const options = await super.createGraphQLServerOptions(...args);
      const tenant = Number(args[0].get('x-tenant'));
      equal(typeof options.schemaHash, 'string');
      return {
        ...options,
        schema: schemas[tenant - 1]!,
        rootValue: { [`tenant${tenant}`]: 'mine' },
        ...(tenant === 2 && { validationRules: [noAliases] }),
      };
    }
  }
  const send = sender(new Tenants({ typeDefs, resolvers, logger: silent }).createHandler());
  const ask = async (tenant: number, query: string): Promise<unknown> => {
    const { body } = await send({ headers: { 'x-tenant': `${tenant}` }, body: { query } });
    return body.data ?? body.errors[0].message;
  };

  deepEqual(await ask(1, '{ tenant1 }'), { tenant1: 'mine' });
  deepEqual(await ask(2, '{ tenant2 }'), { tenant2: 'mine' });
  match(String(await ask(1, '{ tenant2 }')), /Cannot query field "tenant2"/);
  match(String(await ask(2, '{ tenant1 }')), /Cannot query field "tenant1"/);
  deepEqual(await ask(1, '{ a: tenant1 }'), { a: 'mine' });
  equal(await ask(2, '{ a: tenant2 }'), 'No aliases.');
});

function noAliases(context: any): object {
  return {
    Field(node: { alias?: unknown }) {
      if (node.alias) context.reportError(new GraphQLError('No aliases.'));
    },
  };
}
