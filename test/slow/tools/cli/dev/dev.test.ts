import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';

import { captureStderr } from '../../../../support/captured-stderr.ts';
import { deferred } from '../../../../support/deferred.ts';
import { createProject, linkPackage, serveProject } from '../../../../support/functions-project.ts';
import type { ServedProject } from '../../../../support/functions-project.ts';
import { suiteContext } from '../../../../support/suite-context.ts';

const answers = (body: string): string => `export default (request: Request): Response => new Response(${body});`;

async function read(address: string, init?: RequestInit): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.timeout(30_000), ...init });
  return `${response.status} ${(await response.text()).trim()}`;
}

describe('a function that works', () => {
  const context = suiteContext();
  let address: ServedProject['address'];
  before(async () => {
    ({ address } = await serveProject(context, {
      'functions/hello.ts': answers("request.method + ' ' + new URL(request.url).pathname"),
      'functions/object.ts': "export default { word: 'fetched', fetch(request: Request) { return new Response(this.word); } };",
      'functions/both.ts': `export default () => new Response('default');
      export const handler = async (event: any, context: any) => ({ statusCode: 201, body: JSON.stringify({ event, name: context.functionName }) });`,
      'functions/old.cjs': "const { sep } = require('node:path'); exports.handler = async () => ({ statusCode: 200, body: sep + 'cjs' });",
      'functions/bytes-fetch.ts': 'export default async (request: Request) => new Response(await request.arrayBuffer());',
      'functions/bytes-event.ts': 'export const handler = async ({ body }: any) => ({ statusCode: 200, body, isBase64Encoded: true });',
      'functions/cookies-fetch.ts': "export default () => new Response('', { headers: [['set-cookie', 'a=1'], ['set-cookie', 'b=2']] });",
      'functions/cookies-event.ts':
        "export const handler = async () => ({ statusCode: 200, multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] }, body: '' });",
      // The second chunk is sent only when another request has seen the first.
      'functions/stream.ts': `
      let proceed: () => void;
      export default (request: Request) => {
        if (request.method === 'POST') { proceed(); return new Response(); }
        const seen = new Promise<void>((resolve) => { proceed = resolve; });
        return new Response(new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode('first'));
            await seen;
            controller.enqueue(new TextEncoder().encode('second'));
            controller.close();
          },
        }));
      };`,
      'functions/a.ts': "import { next } from './shared/counter.ts'; export default () => new Response(next());",
      'functions/b.ts': "import { next } from './shared/counter.ts'; export default () => new Response(next());",
      'functions/shared/counter.ts': 'let count = 0; export const next = () => String(++count);',
    }));
  });

  test('a default export gets a Request, at its path and at every path below it', async () => {
    assert.equal(await read(address('hello')), '200 GET /.netlify/functions/hello');
    assert.equal(await read(address('hello/'), { method: 'DELETE' }), '200 DELETE /.netlify/functions/hello/');
    assert.equal(await read(address('hello/a/b?c')), '200 GET /.netlify/functions/hello/a/b');
  });

  test('a default export may be an object with fetch, which gets the object as this', async () => {
    assert.equal(await read(address('object')), '200 fetched');
  });

  test('an export named handler gets an event and takes precedence over a default export', async () => {
    const response = await fetch(`${address('both')}?a=1&a=%202`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"ä":1}',
    });
    const { event, name } = (await response.json()) as { event: Record<string, any>; name: string };

    assert.equal(response.status, 201);
    assert.equal(name, 'both');
    assert.equal(event['httpMethod'], 'POST');
    assert.equal(event['path'], '/.netlify/functions/both');
    assert.deepEqual(event['multiValueQueryStringParameters'], { a: ['1', ' 2'] });
    assert.equal(event['rawQuery'], 'a=1&a=%202');
    assert.equal(event['body'], '{"ä":1}');
    assert.equal(event['isBase64Encoded'], false);
    assert.equal(event['headers']['content-type'], 'application/json');
    assert.equal('requestContext' in event, false);
  });

  test('a stream arrives chunk by chunk', async () => {
    const { body } = await fetch(address('stream'));
    const pieces: string[] = [];
    for await (const piece of body!) {
      pieces.push(new TextDecoder().decode(piece));
      if (pieces.length === 1) await fetch(address('stream'), { method: 'POST' });
    }

    assert.deepEqual(pieces, ['first', 'second']);
  });

  test('a module keeps its state between requests and does not share it with other functions', async () => {
    assert.equal(await read(address('a')), '200 1');
    assert.equal(await read(address('a')), '200 2');
    assert.equal(await read(address('b')), '200 1');
  });
});

test('a changed file, also one that the function imports from elsewhere, is served without a restart', async (context) => {
  const { address, after, write } = await serveProject(context, {
    'functions/hello.ts': "import { word } from '../lib/word.ts'; export default () => new Response(word);",
    'lib/word.ts': "export const word = 'one';",
  });
  assert.equal(await read(address('hello')), '200 one');

  await after({ kind: 'loaded' }, () => write({ 'lib/word.ts': "export const word = 'two';" }));
  assert.equal(await read(address('hello')), '200 two');

  await after({ kind: 'loaded' }, () => write({ 'functions/hello.ts': answers("'three'") }));
  assert.equal(await read(address('hello')), '200 three');
});

test('a request in flight during a reload gets its response', async (context) => {
  const asked = deferred<ServerResponse>();
  const gate = createServer((_, response) => asked.resolve(response)).listen(0, 'localhost');
  context.after(() => gate.close());
  await once(gate, 'listening');
  const { address, after, write } = await serveProject(
    context,
    { 'functions/slow.ts': 'export default async () => new Response(await (await fetch(process.env.GATE!)).text());' },
    { env: { GATE: `http://localhost:${(gate.address() as AddressInfo).port}` } },
  );
  const answer = read(address('slow'));
  const held = await asked.promise;

  await after({ kind: 'loaded' }, () => write({ 'functions/slow.ts': answers("'new'") }));
  held.end('old');

  assert.equal(await answer, '200 old');
  assert.equal(await read(address('slow')), '200 new');
});

test('a request that has not finished 5 s after a reload gets 503', async (context) => {
  const asked = deferred<void>();
  const gate = createServer(() => asked.resolve()).listen(0, 'localhost');
  context.after(() => gate.close().closeAllConnections());
  await once(gate, 'listening');
  const { address, after, write } = await serveProject(
    context,
    { 'functions/slow.ts': 'export default async () => fetch(process.env.GATE!);' },
    { env: { GATE: `http://localhost:${(gate.address() as AddressInfo).port}` } },
  );
  const answer = read(address('slow'));
  await asked.promise;
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = setInterval(() => context.mock.timers.tick(100), 10);
  context.after(() => clearInterval(clock));

  await after({ kind: 'loaded' }, () => write({ 'functions/slow.ts': answers("'new'") }));

  assert.match(await answer, /^503 The functions were reloaded\. This request had not finished 5 s later, so it was stopped\./);
  assert.equal(await read(address('slow')), '200 new');
});

test('a function that cannot be bundled answers with file and line while the others work, and recovers when fixed', async (context) => {
  const { address, after, write } = await serveProject(context, {
    'functions/good.ts': answers("'good'"),
    'functions/bad.ts': answers("'fine'"),
  });

  await after({ kind: 'loaded' }, () => write({ 'functions/bad.ts': `${answers("'fine'")}\nconst x = ;` }));

  assert.match(await read(address('bad')), /^500 [^]*bad\.ts:2:10/);
  assert.equal(await read(address('good')), '200 good');

  await after({ kind: 'loaded' }, () => write({ 'functions/bad.ts': answers("'mended'") }));
  assert.equal(await read(address('bad')), '200 mended');
});

test('a function that is broken from the start does not keep the server from starting', async (context) => {
  const { address, after, write } = await serveProject(context, { 'functions/bad.ts': "import './missing.ts';" });

  assert.match(await read(address('bad')), /^500 [^]*missing\.ts/);

  await after({ kind: 'loaded' }, () => write({ 'functions/bad.ts': answers("'good'") }));
  assert.equal(await read(address('bad')), '200 good');
});

test('a module that throws while it loads answers with the line of the source, and with the cause', async (context) => {
  const { address } = await serveProject(context, {
    'functions/bad.ts': "interface Only { types: string }\n\nthrow new Error('no database', { cause: new Error('refused') });",
  });

  assert.match(await read(address('bad')), /^500 [^]*no database[^]*bad\.ts:3:7[^]*refused/);
});

test('an error of a function is answered and reported with the source line', async (context) => {
  const { address, events } = await serveProject(context, {
    'functions/bad.ts': "type T = string;\nexport default () => {\n  throw new TypeError('wrong');\n};",
  });

  assert.match(await read(address('bad')), /^500 [^]*TypeError: wrong[^]*bad\.ts:3:9/);
  assert.match((events.at(-1) as { message: string }).message, /bad\.ts:3:9/);
});

test('a function that crashes restarts with the next request; one that exits gets an error in place of that', async (context) => {
  const { address } = await serveProject(context, {
    'functions/crash.ts': `
      let calls = 0;
      export default (request: Request) => {
        calls++;
        if (request.method === 'DELETE') process.exit(7);
        if (request.method === 'POST') { queueMicrotask(() => { throw new Error('not caught'); }); return new Promise(() => {}); }
        return new Response(String(calls));
      };`,
  });
  assert.equal(await read(address('crash')), '200 1');

  assert.match(await read(address('crash'), { method: 'POST' }), /^500 [^]*not caught/);
  assert.equal(await read(address('crash')), '200 1');
  assert.match(await read(address('crash'), { method: 'DELETE' }), /^500 [^]*called process\.exit\(7\)[^]*crash\.ts:5:/);
  assert.equal(await read(address('crash')), '200 3');
});

test('a stream that fails ends the response', async (context) => {
  const { address } = await serveProject(context, {
    'functions/fails.ts': `export default () => new Response(new ReadableStream({
      start(controller) { controller.enqueue(new TextEncoder().encode('first')); },
      async pull() { await new Promise((resolve) => setTimeout(resolve, 50)); throw new Error('no second'); },
    }));`,
  });

  await assert.rejects(read(address('fails')), { message: /terminated|fetch failed/ });
});

test('functions are added and removed with their files', async (context) => {
  const { address, after, write, remove } = await serveProject(context, { 'functions/one.ts': answers("'one'") });
  assert.match(await read(address('two')), /^404 /);

  await after({ kind: 'loaded' }, () => write({ 'functions/two/index.ts': answers("'two'") }));
  assert.equal(await read(address('two')), '200 two');

  await after({ kind: 'loaded' }, () => remove('functions/one.ts'));
  assert.match(await read(address('one')), /^404 /);
});

test('a path without a function is 404, with a list of all functions', async (context) => {
  const { server } = await serveProject(context, { 'functions/one.ts': answers("'one'") });

  for (const path of ['/', '/.netlify/functions', '/.netlify/functions/on', '/one', '//']) {
    assert.match(await read(server.url + path), /^404 [^]*\/\.netlify\/functions\/one/, path);
  }
});

test('functions see NODE_ENV=development, unless it is set in the shell, and the variables of the command', async (context) => {
  const code = {
    'functions/env.ts': answers('JSON.stringify([process.env.NODE_ENV, process.env.API, process.env.URL])'),
  };
  const env = { API: '{url}/api/' };

  const unset = await serveProject(context, code, { env });
  const set = await serveProject(context, code, { environment: { NODE_ENV: 'test' } });

  assert.equal(await read(unset.address('env')), `200 ${JSON.stringify(['development', `${unset.server.url}/api/`, unset.server.url])}`);
  assert.equal(await read(set.address('env')), `200 ${JSON.stringify(['test', null, set.server.url])}`);
  await assert.rejects(serveProject(context, { ...code, '.env': 'NODE_ENV=production' }), /Remove NODE_ENV from \.env: dev sets it/);
});

test('a request for another host name is refused: DNS rebinding would show this machine to any page', async (context) => {
  const { address } = await serveProject(context, { 'functions/one.ts': answers("'one'") });
  const ask = (host: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      httpRequest(address('one'), { headers: { host } }, resolve).once('error', reject).end();
    });

  const foreign = await ask('evil.example:8888');
  const own = await ask('127.0.0.1:8888');

  assert.equal(foreign.statusCode, 403);
  assert.match(await text(foreign), /--host/);
  assert.equal(await text(own), 'one');
});

test('.graphql files can be imported, and are watched; a document of graphql-tag is a schema, too', async (context) => {
  const project = await createProject(context, {
    'functions/graphql.ts': `import { createHandler } from 'graphql-functions';
      import gql from 'graphql-tag';
      import typeDefs from './schema/schema.graphql';
      const more = gql\`extend type Query { b: Int }\`;
      export default createHandler({ typeDefs: [typeDefs, more], introspection: true });`,
    'functions/schema/schema.graphql': 'type Query { a: Int }',
  });
  await linkPackage(project, 'graphql-tag');
  const { address, after } = await serveProject(context, project);
  const ask = (): Promise<string> =>
    read(address('graphql'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ __schema { queryType { fields { name } } } }"}',
    });

  assert.match(await ask(), /\[\{"name":"a"\},\{"name":"b"\}\]/);
  await after({ kind: 'loaded' }, () => project.write({ 'functions/schema/schema.graphql': 'type Query { c: Int }' }));
  assert.match(await ask(), /\[\{"name":"c"\},\{"name":"b"\}\]/);
});

test('errors of operations are printed once, unmasked, with the lines of the user’s code', async (context) => {
  const stderr = captureStderr(context);
  const project = await createProject(context, {
    'functions/shop.js': `import { createHandler, RESTDataSource } from 'graphql-functions';
      class API extends RESTDataSource { baseURL = 'http://localhost:1/'; read() { return this.get('all'); } }
      export default createHandler({
        csrfPrevention: true,
        maskErrors: true,
        typeDefs: 'type Query { open: Boolean! down: Int fault: Int end: Int }',
        dataSources: () => ({ api: new API() }),
        resolvers: { Query: {
          open: () => {},
          down: (_, _args, { dataSources }) => dataSources.api.read(),
          fault: () => null.size,
          end: () => console.error('end'),
        } },
      });`,
  });
  await linkPackage(project);
  const { address } = await serveProject(context, project);
  const headers = { 'content-type': 'application/json' };
  for (const query of ['{ fault }', '{ open }', '{ down }', '{ end }'])
    await read(address('shop'), { method: 'POST', headers, body: JSON.stringify({ query }) });

  const printed = await stderr.until('end\n');

  assert.match(
    printed,
    /^Unexpected error \w+ \(errorHash \w+\) at fault TypeError: Cannot read [^\n]*'size'\)\n +at Object\.fault \(.*shop\.js:11:29\)\n/,
  );
  assert.match(printed, /at open \[Error: [^\n]* Its resolver \(functions\/shop\.js:9:17\) returned undefined/);
  assert.match(printed, /at down Error \[NetworkError\]: GET got no answer [^]*url: 'http:\/\/localhost:1\/all'[^]*bad port/);
  assert.equal(printed.match(/ at fault /g)?.length, 1);
});
