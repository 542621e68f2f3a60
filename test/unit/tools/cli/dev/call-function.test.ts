import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../../../src/entries/aws-lambda.ts';
import { toCallable } from '../../../../../src/tools/cli/dev/call-function.ts';
import type { FunctionRequest } from '../../../../../src/tools/cli/dev/call-function.ts';

const request = {
  method: 'POST',
  url: 'http://localhost:8888/.netlify/functions/graphql',
  headers: [['content-type', 'application/json']],
  body: new TextEncoder().encode('{"query":"{ ok }"}'),
} as unknown as FunctionRequest;
const options = { typeDefs: 'type Query { ok: Boolean }' };
const lambda = createHandler({ ...options, logger: { ...console, error: () => {}, warn: () => {} } });

test("a handler of AWS's entry that is served as on Netlify says which platform to name", async () => {
  const call = toCallable('graphql', { default: lambda });

  await assert.rejects(call(request), /serve it with --platform aws-http, aws-rest, function-url or alb/);
});

test('a function that returns a handler instead of a response says to export it', async () => {
  const call = toCallable('graphql', { default: () => lambda });

  await assert.rejects(
    call(request),
    /Expected the function to return a Response, got a function\. If createHandler created it, export it: export default/,
  );
});

test('on Lambda, whose settings name the export, a handler may have any name; elsewhere not', async () => {
  const graphqlHandler = createHandler({ ...options, resolvers: { Query: { ok: () => true } } });

  const answer = await toCallable('graphql', { graphqlHandler }, { platform: 'aws-http' })(request);

  assert.equal(await answer.text(), '{"data":{"ok":true}}');
  assert.throws(() => toCallable('graphql', { graphqlHandler }), /it exports graphqlHandler\. Write: export default/);
});

test('an object with fetch gets an environment, as on Workers', async () => {
  const fetch = async (_request: Request, env: object, context: object): Promise<Response> =>
    Response.json([typeof env, 'PATH' in env, 'waitUntil' in context]);

  const answer = await toCallable('graphql', { default: { fetch } })(request);

  assert.deepEqual(await answer.json(), ['object', true, true]);
});
