import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { startDevHere } from '../../../../support/dev-here.ts';
import { deferred } from '../../../../support/deferred.ts';
import { createProject, linkPackage, serveProject } from '../../../../support/functions-project.ts';
import type { ServedProject } from '../../../../support/functions-project.ts';
import { postJSON } from '../../../../support/plain-http.ts';
import { serveOnLoopback } from '../../../../support/real/loopback.ts';
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

    assert.deepEqual([response.status, name], [201, 'both']);
    const { httpMethod, path, multiValueQueryStringParameters, rawQuery, body, isBase64Encoded } = event;
    assert.deepEqual([httpMethod, path, rawQuery], ['POST', '/.netlify/functions/both', 'a=1&a=%202']);
    assert.deepEqual([multiValueQueryStringParameters, body, isBase64Encoded], [{ a: ['1', ' 2'] }, '{"ä":1}', false]);
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

test('a changed file, also one that the function imports from elsewhere, or of schema text, is served without a restart', async (context) => {
  const { address, after, write } = await serveProject(context, {
    'functions/hello.ts':
      "import { word } from '../lib/word.ts'; import text from './schema/schema.graphql'; export default () => new Response(word + text);",
    'functions/schema/schema.graphql': 'type Query { a: Int }',
    'lib/word.ts': "export const word = 'one';",
  });
  assert.equal(await read(address('hello')), '200 onetype Query { a: Int }');

  for (const [changed, expected] of [
    [{ 'lib/word.ts': "export const word = 'two';" }, 'twotype Query { a: Int }'],
    [{ 'functions/schema/schema.graphql': 'type Query { c: Int }' }, 'twotype Query { c: Int }'],
    [{ 'functions/hello.ts': answers("'three'") }, 'three'],
  ] as const) {
    await after({ kind: 'loaded' }, () => write(changed));
    assert.equal(await read(address('hello')), `200 ${expected}`);
  }
});

/** A function whose request waits until it is released or its process ends, and that request. */
async function serveSlow(context: TestContext): Promise<ServedProject & { answer: Promise<string>; held: ServerResponse }> {
  const asked = deferred<ServerResponse>();
  const GATE = await serveOnLoopback(context, (_, response) => asked.resolve(response));
  const source = 'export default async () => new Response(await (await fetch(process.env.GATE!)).text());';
  const served = await serveProject(context, { 'functions/slow.ts': source }, { env: { GATE } });
  const answer = read(served.address('slow'));
  return { ...served, answer, held: await asked.promise };
}

test('a request in flight during a reload gets its response', async (context) => {
  const { address, after, write, answer, held } = await serveSlow(context);

  await after({ kind: 'loaded' }, () => write({ 'functions/slow.ts': answers("'new'") }));
  held.end('old');

  assert.equal(await answer, '200 old');
  assert.equal(await read(address('slow')), '200 new');
});

test('a request that has not finished 5 s after a reload gets 503', async (context) => {
  const { address, after, write, answer } = await serveSlow(context);
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = setInterval(() => context.mock.timers.tick(100), 10);
  context.after(() => clearInterval(clock));

  await after({ kind: 'loaded' }, () => write({ 'functions/slow.ts': answers("'new'") }));

  assert.match(await answer, /^503 The functions were reloaded\. This request had not finished 5 s later, so it was stopped\./);
  assert.equal(await read(address('slow')), '200 new');
});

test('a function that cannot be bundled answers with file and line while the others work, and recovers when fixed', async (context) => {
  const broken = `${answers("'fine'")}\nconst x = ;`;
  const { address, after, write } = await serveProject(context, { 'functions/good.ts': answers("'good'"), 'functions/bad.ts': broken });

  assert.match(await read(address('bad')), /^500 [^]*bad\.ts:2:10/);
  assert.equal(await read(address('good')), '200 good');

  await after({ kind: 'loaded' }, () => write({ 'functions/bad.ts': answers("'mended'") }));
  assert.equal(await read(address('bad')), '200 mended');

  await after({ kind: 'loaded' }, () => write({ 'functions/bad.ts': broken }));
  assert.match(await read(address('bad')), /^500 [^]*bad\.ts:2:10/);
});

test('errors while a module loads and while it runs are answered with the line of the source, and with their cause', async (context) => {
  const { address, events } = await serveProject(context, {
    'functions/loads.ts': "interface Only { types: string }\n\nthrow new Error('no database', { cause: new Error('refused') });",
    'functions/runs.ts': "type T = string;\nexport default () => {\n  throw new TypeError('wrong');\n};",
  });

  assert.match(await read(address('loads')), /^500 [^]*no database[^]*loads\.ts:3:7[^]*refused/);
  assert.match(await read(address('runs')), /^500 [^]*TypeError: wrong[^]*runs\.ts:3:9/);
  assert.match((events.at(-1) as { message: string }).message, /runs\.ts:3:9/);
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

test('functions are added and removed with their files; a path without a function is 404, with a list of all functions', async (context) => {
  const { server, address, after, write, remove } = await serveProject(context, { 'functions/one.ts': answers("'one'") });
  for (const path of ['/', '/.netlify/functions/two', '//'])
    assert.match(await read(server.url + path), /^404 [^]*\/\.netlify\/functions\/one/, path);

  await after({ kind: 'loaded' }, () => write({ 'functions/two/index.ts': answers("'two'") }));
  assert.equal(await read(address('two')), '200 two');

  await after({ kind: 'loaded' }, () => remove('functions/one.ts'));
  assert.match(await read(address('one')), /^404 /);
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

for (const host of ['localhost', '127.0.0.1'])
  test(`a request for another host name is refused on ${host}: DNS rebinding would show this machine to any page`, async (context) => {
    const { address } = await serveProject(context, { 'functions/one.ts': answers("'one'") }, { host });
    const ask = (name: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        httpRequest(address('one'), { headers: { host: name } }, resolve)
          .once('error', reject)
          .end();
      });

    const foreign = await ask('evil.example:8888');
    const own = await ask('127.0.0.1:8888');

    assert.equal(foreign.statusCode, 403);
    assert.match(await text(foreign), /--host/);
    assert.equal(await text(own), 'one');
  });

test('TRACE, which a web Request cannot have, is refused with 405', async (context) => {
  const { address } = await serveProject(context, { 'functions/one.ts': answers("'one'") });

  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(address('one'), { method: 'TRACE' }, resolve).once('error', reject).end();
  });

  assert.deepEqual([response.statusCode, response.headers.allow], [405, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY']);
  assert.equal(await text(response), 'Functions get no TRACE requests.\n');
});

test('a request to a route is printed with the name of its operation, and with what is wrong', async (context) => {
  const project = await createProject(context, {
    'functions/shop.js': `import { createHandler } from 'graphql-functions';
      import { rest } from 'graphql-functions/rest';
      export default createHandler({
        csrfPrevention: true,
        typeDefs: 'type Query { book(id: ID!): Int }',
        resolvers: { Query: { book: () => 1 } },
        trustedDocuments: { documents: { book: 'query GetBook($id: ID!) @http(method: GET, route: "/books/{id}") { book(id: $id) }' } },
        plugins: [rest()],
      });`,
  });
  await linkPackage(project, 'graphql');
  const { address, until, printed } = await startDevHere(context, project);
  await read(address('shop/rest/books/7'));
  await read(address('shop/rest/books/7?x=1'));
  await until('?x=1');

  const lines = printed()
    .stdout.split('\n')
    .filter((line) => line.includes('/rest/'));
  assert.match(lines[0]!, /shop  200  GET \/\.netlify\/functions\/shop\/rest\/books\/7  \d+ ms  GetBook$/);
  assert.match(lines[1]!, /shop  400  GET \S+x=1  \d+ ms  Expected no parameter in the query string, got "x"\.$/);
});

test('errors of operations are printed once, unmasked, with the lines of the user’s code', async (context) => {
  let printed = '';
  const { promise: isPrinted, resolve } = deferred();
  context.mock.method(process.stderr, 'write', (chunk: string | Uint8Array, ...rest: unknown[]) => {
    printed += Buffer.from(chunk as string).toString();
    // The output of a thread arrives after its answer.
    if (printed.includes('end\n')) resolve();
    for (const done of rest) if (typeof done === 'function') done();
    return true;
  });
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
  for (const query of ['{ fault }', '{ open }', '{ down }', '{ end }']) await (await postJSON(address('shop'), { query })).text();
  await isPrinted;

  assert.match(
    printed,
    /^Unexpected error \w+ \(errorHash \w+\) at fault TypeError: Cannot read [^\n]*'size'\)\n +at fault \(.*shop\.js:11:29\)\n/,
  );
  assert.match(printed, /at open \[Error: [^\n]* Its resolver \(functions\/shop\.js:9:17\) returned undefined/);
  assert.match(printed, /at down Error \[NetworkError\]: GET got no answer [^]*url: 'http:\/\/localhost:1\/all'[^]*bad port/);
  assert.equal(printed.match(/\) at fault /g)?.length, 1);
});
