import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DevPlatform } from '../../../../../src/tools/cli/dev/messages.ts';
import { createProject, linkPackage, serveProject } from '../../../../support/functions-project.ts';
import { postJSON } from '../../../../support/plain-http.ts';
import { eventReader } from '../../../../support/sse.ts';

const graphql = `import { createHandler } from 'graphql-functions';
  export default createHandler({
    csrfPrevention: true,
    typeDefs: 'type Query { platform: String! header(name: String!): String }',
    context: ({ request, event, response }) => {
      response.headers.append('set-cookie', 'a=1');
      response.headers.append('set-cookie', 'b=2');
      return { request, event };
    },
    resolvers: { Query: {
      platform: (_parent, _args, { event }) => event instanceof Request ? 'fetch' : Object.keys(event).sort().join(' '),
      header: (_parent, { name }, { request }) => request.headers.get(name),
    } },
  });`;

const keys: Readonly<Record<Exclude<DevPlatform, 'netlify' | 'fetch'>, RegExp>> = {
  alb: /^body headers httpMethod isBase64Encoded path queryStringParameters requestContext$/,
  'aws-http': /rawPath rawQueryString requestContext routeKey version/,
  'netlify-v1': /rawUrl/,
  'aws-rest': /multiValueHeaders .*resource stageVariables/,
  'function-url': /rawPath rawQueryString requestContext routeKey version/,
};

for (const [platform, expected] of Object.entries(keys)) {
  test(`with --platform ${platform} a function gets that platform’s events, cookies included`, async (context) => {
    const project = await createProject(context, { 'functions/graphql.ts': graphql });
    await linkPackage(project);

    const { address } = await serveProject(context, project, { platform: { platform: platform as DevPlatform } as never });
    const response = await postJSON(address('graphql'), { query: '{ platform header(name: "cookie") }' }, { cookie: 'c=1; d=2' });
    const { data } = (await response.json()) as any;

    assert.match(data.platform, expected);
    assert.equal(data.header, 'c=1; d=2');
    // A load balancer sends only one cookie.
    assert.deepEqual(response.headers.getSetCookie(), platform === 'alb' ? ['a=1'] : ['a=1', 'b=2']);
  });
}

const echo = `export const lambda = async (event) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(event),
}); export default () => { throw new Error('not this one'); };`;

test('bytes arrive in base64, and text as the platform encodes it; an export named lambda takes precedence over default', async (context) => {
  const { address } = await serveProject(context, { 'functions/echo.ts': echo }, { platform: { platform: 'aws-http' } });
  const send = async (type: string, body: string | Uint8Array<ArrayBuffer>): Promise<any> =>
    (await fetch(address('echo'), { method: 'POST', headers: { 'content-type': type }, body })).json();

  const json = await send('application/json', '{"ä":1}');
  const form = await send('application/x-www-form-urlencoded', 'a=1');
  const bytes = await send('application/octet-stream', new Uint8Array([0, 255]));

  assert.deepEqual([json.body, json.isBase64Encoded], ['{"ä":1}', false]);
  assert.deepEqual([form.body, form.isBase64Encoded], ['YT0x', true]);
  assert.deepEqual([bytes.body, bytes.isBase64Encoded], ['AP8=', true]);
});

test('a result that the platform would reject is rejected with a message', async (context) => {
  const bad = 'export const handler = async () => ({ statusCode: 200, multiValueHeaders: {} });';
  const { address } = await serveProject(context, { 'functions/bad.ts': bad }, { platform: { platform: 'aws-http' } });

  const response = await fetch(address('bad'));

  assert.equal(response.status, 500);
  assert.match(await response.text(), /would reject this result: it has the key "multiValueHeaders"/);
});

test('a function can read its timeout, and is stopped when it takes longer', async (context) => {
  const { address } = await serveProject(
    context,
    {
      'functions/time.ts': `let calls = 0; export const handler = async (event, context) => {
        calls++;
        if (event.rawPath.endsWith('/hang')) await new Promise((resolve) => setInterval(resolve, 2 ** 30));
        return { statusCode: 200, body: JSON.stringify({ calls, remaining: context.getRemainingTimeInMillis() }) };
      };`,
    },
    { platform: { platform: 'function-url', timeout: 1000 } },
  );
  const first = (await (await fetch(address('time'))).json()) as { calls: number; remaining: number };

  const late = await fetch(address('time/hang'));
  const next = (await (await fetch(address('time'))).json()) as { calls: number };

  assert.equal(first.calls, 1);
  assert.ok(first.remaining > 0 && first.remaining <= 1000);
  assert.equal(late.status, 500);
  assert.match(await late.text(), /No response after 1 s \(--timeout\) to GET \/\.netlify\/functions\/time\/hang\./);
  assert.equal(next.calls, 1);
});

test('variables come from .env, and the shell and --env take precedence', async (context) => {
  const files = {
    '.env': 'A=file\nB=file\nC="file with spaces" # comment\n',
    'functions/env.ts': 'const { A, B, C } = process.env; export default () => Response.json([A, B, C]);',
  };
  const { address } = await serveProject(context, files, { environment: { B: 'shell' }, env: { A: 'named' } });

  assert.deepEqual(await (await fetch(address('env'))).json(), ['named', 'shell', 'file with spaces']);
  await assert.rejects(serveProject(context, files, { envFile: 'missing.env' }), { name: 'DevError', message: /missing\.env/ });
});

const subscriptions = (create: string): string => `${create}
  let ended = 0;
  const options = {
    csrfPrevention: true,
    typeDefs: 'type Query { ended: Int! } type Subscription { count: Int! }',
    resolvers: { Query: { ended: () => ended }, Subscription: { count: {
      async *subscribe() {
        try {
          for (let count = 1; ; count++) yield { count };
        } finally {
          ended += 1;
        }
      },
    } } },
  };
  export default create(options);`;

const lambda = "import { createStreamingHandler as create } from 'graphql-functions/aws-lambda';";

for (const [platform, create] of [
  ['netlify', "import { createHandler as create } from 'graphql-functions/netlify';"],
  ['function-url', lambda],
  ['aws-rest', lambda],
] as const satisfies readonly (readonly [DevPlatform, string])[]) {
  test(`${platform}: the events of a subscription pass through, and its source ends when the client leaves`, async (context) => {
    const project = await createProject(context, { 'functions/graphql.ts': subscriptions(create) });
    await linkPackage(project);
    const { address } = await serveProject(context, project, { platform: { platform } });
    const send = (query: string): Promise<Response> =>
      postJSON(address('graphql'), { query }, { accept: 'application/json, text/event-stream' });

    const reader = eventReader(await send('subscription { count }'));
    assert.deepEqual(await reader.next(), { event: 'next', data: { data: { count: 1 } } });
    await reader.leave();

    let ended = 0;
    while (ended === 0) ({ ended } = ((await (await send('{ ended }')).json()) as { data: { ended: number } }).data);
    assert.equal(ended, 1);
  });
}
