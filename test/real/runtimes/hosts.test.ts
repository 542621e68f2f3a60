import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createHandler } from '../../../src/entries/fetch.ts';
import { createListener } from '../../../src/entries/node.ts';
import { httpAPIEvent } from '../../support/events.ts';
import { post as eventRequest } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { answered, assertHostAnswers, headers, question } from '../../support/real/one-connection.ts';
import { serveOnLoopback } from '../../support/real/loopback.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import { needs, partNamed, pathInPart } from '../../support/real/parts.ts';
import { startProgram } from '../../support/program.ts';

// Any: the types of the hosts are in folders that TypeScript does not read.
type Host = any;

/** The exports of a package, which may be in the folder of another part that depends on it. */
function load(part: string, name = part): Host {
  return createRequire(join(partNamed(part).folder, 'index.js'))(name);
}

let served = 0;

function options(): Host {
  return {
    nodeEnv: '',
    logger: recordingLogger()[0],
    context: ({ request }: Host) => ({ headers: request.headers }),
    typeDefs: `type Query { header(name: String!): String } # host ${served++}`,
    resolvers: { Query: { header: (_parent: unknown, { name }: Host, { headers }: Host) => headers.get(name) } },
  };
}

/** Serves at /graphql until the test ends. Returns the address. */
async function onNode(t: TestContext, listener: RequestListener): Promise<string> {
  return `${await serveOnLoopback(t, listener)}/graphql`;
}

/** The recipes of docs/platforms.md. */
const hosts: Readonly<Record<string, { readonly part: string; readonly listen: (t: TestContext) => Promise<string> }>> = {
  'h3 1, toWebRequest': {
    part: 'h3',
    listen: (t) => {
      const { createApp, defineEventHandler, toNodeListener, toWebRequest } = load('h3');
      const handler = createHandler(options());
      const app = createApp().use('/graphql', defineEventHandler((event: Host) => handler(toWebRequest(event)))); // prettier-ignore
      return onNode(t, toNodeListener(app));
    },
  },
  'h3 1, fromNodeMiddleware': {
    part: 'h3',
    listen: (t) => {
      const { createApp, fromNodeMiddleware, toNodeListener } = load('h3');
      return onNode(t, toNodeListener(createApp().use('/graphql', fromNodeMiddleware(createListener(options())))));
    },
  },
  'h3 2': {
    part: 'h3-2',
    listen: async (t) => {
      const { H3, serve } = load('h3-2');
      const handler = createHandler(options());
      const server = serve(
        new H3().all('/graphql', (event: Host) => handler(event.req)),
        { port: 0, hostname: '127.0.0.1', silent: true },
      );
      await server.ready();
      t.after(() => server.close(true));
      return `http://127.0.0.1:${server.node.server.address().port}/graphql`;
    },
  },
  Hono: {
    part: '@hono/node-server',
    listen: async (t) => {
      const { Hono } = load('@hono/node-server', 'hono');
      const { serve } = load('@hono/node-server');
      const handler = createHandler(options());
      const app = new Hono().all('/graphql', (context: Host) => handler(context.req.raw));
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
      t.after(() => (server.closeAllConnections(), server.close()));
      await once(server, 'listening');
      return `http://127.0.0.1:${server.address().port}/graphql`;
    },
  },
  Express: {
    part: 'express',
    listen: (t) => onNode(t, load('express')().use('/graphql', createListener(options()))),
  },
  'Express, below express.json()': {
    part: 'express',
    listen: (t) => {
      const express = load('express');
      return onNode(t, express().use(express.json({ limit: '20mb' })).use('/graphql', createListener(options()))); // prettier-ignore
    },
  },
  Koa: {
    part: 'koa',
    listen: (t) => {
      const Koa = load('koa');
      const listener = createListener(options());
      const app = new (Koa.default ?? Koa)();
      app.use(async (context: Host) => {
        context.respond = false;
        await listener(context.req, context.res);
      });
      return onNode(t, app.callback());
    },
  },
  Fastify: {
    part: 'fastify',
    listen: async (t) => {
      const app = fastifyApp();
      t.after(() => app.close());
      return `${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql`;
    },
  },
  // `vercel dev` starts the server of @vercel/node for a function. Its adapter converts Node's requests to Requests.
  Vercel: {
    part: '@vercel/node',
    listen: async (t) => {
      const folder = await createFolder();
      await bundle('test/support/real/functions/fetch.ts', `${folder.path}/api/graphql.mjs`, 'lambda-esm');
      const { PATH, HOME } = process.env;
      const program = startProgram(process.execPath, [pathInPart('@vercel/node', '@vercel/node/dist/dev-server.mjs')], {
        cwd: folder.path,
        env: { PATH, HOME, VERCEL_DEV_ENTRYPOINT: 'api/graphql.mjs' },
      });
      const [, port] = await program.printed(/Dev server listening:[^}]*port: (\d+)/);
      t.after(() => program.end().then(folder.remove));
      return `http://127.0.0.1:${port}/api/graphql`;
    },
  },
};

function fastifyApp(): Host {
  const app = load('fastify')({ bodyLimit: 2 ** 25 });
  const listener = createListener(options());
  // Does not read the body, so that the listener can.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request: unknown, _payload: unknown, done: (error: null) => void) => done(null));
  app.all('/graphql', async (request: Host, reply: Host) => {
    reply.hijack();
    await listener(request.raw, reply.raw);
  });
  return app;
}

for (const [name, { part, listen }] of Object.entries(hosts))
  test(`${name} answers, and still answers on the same connection after bodies above the limit`, needs(part), async (t) => {
    // Also below express.json(), whose limit is higher: the bytes of a parsed body are those of its JSON.
    await assertHostAnswers(t, await listen(t));
  });

test('fastify.inject() is answered, with headers and body', needs('fastify'), async () => {
  const response = await fastifyApp().inject({
    method: 'POST',
    url: '/graphql',
    headers,
    payload: question,
  });

  assert.deepEqual([response.statusCode, response.body], [200, answered.body]);
});

test('serverless-http is answered, with headers and body', needs('serverless-http'), async () => {
  const module = load('serverless-http');
  const handler = (module.default ?? module)(createListener(options()));

  const result = await handler(httpAPIEvent(eventRequest(question, { headers: [['x-user', 'ada']] })), {});

  assert.deepEqual([result.statusCode, result.body], [200, answered.body]);
});

test('functions-framework: the recipe for Google Cloud Functions answers', needs('@google-cloud/functions-framework'), async (t) => {
  const { getTestServer } = load('@google-cloud/functions-framework', '@google-cloud/functions-framework/testing');
  const { http } = load('@google-cloud/functions-framework');
  const handler = createHandler(options());
  http('graphql', async (request: Host, response: Host) => {
    const answer = await handler(
      new Request(`http://localhost${request.url}`, {
        method: request.method,
        headers: request.headers,
        body: request.method === 'POST' ? new Uint8Array(request.rawBody ?? []) : null,
      }),
    );
    answer.headers.forEach((value, field) => response.append(field, value));
    response.status(answer.status).end(await answer.text());
  });
  http('listener', createListener(options()));

  for (const target of ['graphql', 'listener']) {
    await assertHostAnswers(t, await onNode(t, (request, response) => getTestServer(target).emit('request', request, response)));
  }
});

test('@azure/functions: its request, which is not a web Request, is answered', needs('@azure/functions'), async () => {
  const { HttpRequest } = load('@azure/functions');
  const request = new HttpRequest({ method: 'POST', url: 'https://example.com/api/graphql', headers, body: { string: question } });

  const answer = await createHandler(options())(request);

  assert.deepEqual({ status: answer.status, body: await answer.text() }, answered);
});
