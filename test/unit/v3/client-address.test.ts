import { equal } from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { ApolloServer } from '../../../src/entries/v3.ts';
import { ApolloServer as ExpressServer } from '../../../src/entries/v3/express.ts';
import { createEvent } from '../../../src/tools/testing/platforms.ts';
import type { PlatformName } from '../../../src/tools/testing/platforms.ts';
import { silent } from '../../support/v3-server.ts';

const typeDefs = 'type Query { ip: String }';
const resolvers = { Query: { ip: (_: unknown, __: unknown, { ip }: { ip: string }) => ip } };
const handler = new ApolloServer({
  typeDefs,
  resolvers,
  logger: silent,
  context: ({ express }: any) => ({ ip: express.req.ip }),
}).createHandler();

/** Returns `req.ip` for a request whose X-Forwarded-For begins with a forged address. */
async function addressSeen(platform: PlatformName, { last = '203.0.113.9', context = {}, headers = {} } = {}): Promise<string> {
  const event = createEvent(platform, {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.66, ${last}`, ...headers },
    body: JSON.stringify({ query: '{ ip }' }),
  });
  const result = await handler(event, context as never, undefined as never);
  const body: string = result instanceof Response ? await result.text() : (result as { body: string }).body;
  return (JSON.parse(body) as { data: { ip: string } }).data.ip;
}

for (const platform of ['aws-http', 'aws-rest', 'function-url'] as const) {
  test(`req.ip is the address that the gateway reports: ${platform}`, async () => {
    equal(await addressSeen(platform), '192.0.2.1');
  });
}

for (const platform of ['alb', 'alb-multi', 'lattice', 'lattice-v1'] as const) {
  test(`req.ip is the address that the load balancer appended: ${platform}`, async () => {
    equal(await addressSeen(platform), '203.0.113.9');
    equal(await addressSeen(platform, { last: '203.0.113.9:4711' }), '203.0.113.9');
    equal(await addressSeen(platform, { last: '[2001:db8::9]:4711' }), '2001:db8::9');
    equal(await addressSeen(platform, { last: '2001:db8::9' }), '2001:db8::9');
  });
}

test('req.ip is the address that Netlify reports, and empty where no platform reports one', async () => {
  equal(await addressSeen('netlify-v1', { headers: { 'x-nf-client-connection-ip': '192.0.2.7' } }), '192.0.2.7');
  equal(await addressSeen('netlify-v1'), '');
  equal(await addressSeen('fetch', { context: { ip: '192.0.2.8' } }), '192.0.2.8');
  equal(await addressSeen('fetch', { headers: { 'x-nf-client-connection-ip': '198.51.100.66' } }), '');
});

test('req.ip is the address of the connection in a Node server', async (context) => {
  let ip: unknown;
  const server = new ExpressServer({ typeDefs, logger: silent }).createHandler({
    expressGetMiddlewareOptions: { onHealthCheck: async (request) => void ({ ip } = request) },
  });
  const listener = createServer((request, response) => void server(request, response)).listen(0, '127.0.0.1');
  context.after(() => listener.close());
  await new Promise((resolve) => listener.once('listening', resolve));
  const { port } = listener.address() as { port: number };

  await fetch(`http://127.0.0.1:${port}/.well-known/apollo/server-health`, { headers: { 'x-forwarded-for': '198.51.100.66' } });

  equal(ip, '127.0.0.1');
});
