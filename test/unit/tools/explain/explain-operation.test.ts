import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import type { ExplainedCall } from '../../../../src/tools/explain/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { startExplaining } from '../../../support/explained.ts';

const reply = (): { body: object } => ({ body: {} });
const hello = { typeDefs: 'type Query { hello: String } type Mutation { hello: String }', resolvers: {}, dataSources: () => ({}) };

test('the times have the steps that ran: a document is parsed once, and one that is refused is not executed', async (t) => {
  const server = await startExplaining(t, reply, hello);
  const [first, second, refused] = [await server.explain('{ hello }'), await server.explain('{ hello }'), await server.explain('{ no }')];

  deepEqual(Object.keys(first.milliseconds), ['context', 'parse', 'validate', 'execute', 'total']);
  deepEqual(Object.keys(second.milliseconds), ['context', 'execute', 'total']);
  deepEqual(Object.keys(refused.milliseconds), ['context', 'parse', 'validate', 'total']);
});

test('the report is in a response that is not cacheable', async () => {
  const context = ({ response }: any): object => {
    response.headers.set('cache-control', 'public, max-age=60');
    return {};
  };
  const handler = createHandler({ ...hello, nodeEnv: 'development', logger: recordingLogger()[0], context } as ServerOptions);

  const { run } = createTester(handler);
  const controlFor = async (explain: string): Promise<string | null> =>
    (await run('{ hello }', {}, { headers: { 'graphql-functions-explain': explain } })).headers.get('cache-control');

  deepEqual([await controlFor('1'), await controlFor('0')], ['private, no-store', 'public, max-age=60']);
});

test('a response in parts has the report in its first part', async () => {
  const handler = createHandler({
    nodeEnv: 'development',
    logger: recordingLogger()[0],
    typeDefs: 'type Query { hello: String late: String } # in parts',
    incrementalDelivery: incrementalDelivery(),
  });
  const response = await handler(asking({ query: '{ hello ... @defer { late } }' }, { accept: 'multipart/mixed' }));
  const parts = (await response.text()).match(/^\{.*\}$/gm)?.map((part) => JSON.parse(part)) ?? [];

  equal(parts.length, 2);
  ok(parts[0].extensions.explain.milliseconds.execute !== undefined);
  equal(parts[1].extensions, undefined);
});

test('a call interrupted by the deadline has no end, and the rest is reported', async (t) => {
  const server = await startExplaining(t, () => new Promise(() => {}), { deadline: { ms: 50, reserveMs: 0 } });

  const { calls, milliseconds } = await server.explainRun((api) => api.read('book'));

  ok(milliseconds.execute !== undefined);
  const [{ cache, field, tries, status }] = calls as [ExplainedCall];
  deepEqual([calls.length, cache, field, tries, status], [1, 'miss', 'run', 1, undefined]);
});

for (const nodeEnv of ['production', '', 'Development']) {
  test(`with NODE_ENV ${JSON.stringify(nodeEnv)} nothing is explained, and the header is not read`, async (t) => {
    const server = await startExplaining(t, reply, { ...hello, nodeEnv });
    const read: string[] = [];
    const request = asking({ query: '{ hello }' });
    const { headers } = request;
    const get = headers.get.bind(headers);
    Object.defineProperty(request, 'headers', { value: Object.assign(headers, { get: (name: string) => (read.push(name), get(name)) }) });

    const answer = await server.send(request);

    equal(answer.extensions, undefined);
    equal(answer.data.hello, null);
    ok(!read.some((name) => name.includes('explain')), read.join());
  });
}

function asking(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request('https://example.com/', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'graphql-functions-explain': '1', ...headers },
    body: JSON.stringify(body),
  });
}
