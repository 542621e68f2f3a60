import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { AuthenticationError, ForbiddenError } from '../../../../src/entries/datasource.ts';
import { serveTools } from '../../../support/mcp-serving.ts';

describe('a call', () => {
  const servers = { resource: 'https://shop.example.com', authorizationServers: ['https://login.example.com'] };
  const authorization = { ...servers, resource: 'https://shop.example.com/mcp', scopes: ['books:read'] };
  const call = { name: 'get_book', arguments: { id: '1' } };
  const wellKnown = '/.well-known/oauth-protected-resource';
  const atResource = `Bearer resource_metadata="https://shop.example.com${wellKnown}/mcp"`;
  const metadata = `${atResource}, scope="books:read"`;
  const lacking = (missing: readonly string[]): GraphQLError =>
    new GraphQLError('Not you.', {
      extensions: { code: 'FORBIDDEN', missing, needed: ['books:read', 'books:write', 'a"b'], http: { status: 403 } },
    });
  const needed = 'scope="books:read books:write"';
  const bearer = { authorization: 'Bearer x' };
  const [unknown, forbidden] = [new AuthenticationError('Sign in.'), new ForbiddenError('Not you.')];
  for (const [what, error, headers, status, authenticate, options] of [
    ['without a token', unknown, {}, 401, metadata, authorization],
    ['with an invalid token', unknown, bearer, 401, `${metadata}, error="invalid_token"`, authorization],
    ['without a right', forbidden, bearer, 403, `${atResource}, error="insufficient_scope"`, authorization],
    ['without a scope', lacking(['books:write']), bearer, 403, `${atResource}, ${needed}, error="insufficient_scope"`, authorization],
    ['without a right that is no scope', lacking([]), bearer, 403, atResource, authorization],
    ['without a scope, in a server without metadata', lacking(['a']), {}, 403, `Bearer ${needed}, error="insufficient_scope"`, undefined],
    ['in a server without scopes', unknown, {}, 401, `Bearer resource_metadata="${servers.resource}${wellKnown}"`, servers],
    ['in a server without metadata', unknown, {}, 401, 'Bearer', undefined],
  ] as const)
    for (const method of options === undefined ? ['tools/call'] : ['initialize', 'tools/list', 'tools/call'])
      test(`that context refuses ${what} is a ${status} for ${method}, which says where to get tokens`, async () => {
        const context = (): never => {
          throw error;
        };
        const { post, runs } = serveTools({ authorization: options }, { context });

        const response = await post({ jsonrpc: '2.0', id: 1, method, params: { ...call, protocolVersion: '2025-11-25' } }, headers);

        assert.deepEqual([response.status, response.headers.get('www-authenticate'), runs], [status, authenticate, []]);
      });

  test('that context refuses for a while has the Retry-After of the error', async () => {
    const context = (): never => {
      throw new GraphQLError('Later.', { extensions: { http: { status: 429, headers: { 'retry-after': '7' } } } });
    };

    const response = await serveTools({}, { context }).modern('tools/call', call);

    assert.equal(response.headers.get('retry-after'), '7');
  });

  test('without a token is refused by a server with authorization, whose metadata is public', async () => {
    const { post, send } = serveTools({ authorization });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

    const answers = [await post(list), await post(list, bearer), await post(list, {}, `${wellKnown}/mcp`)];
    for (const prefix of ['', '/.netlify/functions/graphql'])
      for (const place of ['', '/mcp', '/graphql/mcp']) answers.push(await send({ method: 'GET', path: `${prefix}${wellKnown}${place}` }));

    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [401, 200, 405, 200, 200, 200, 200, 200, 200]);
    assert.equal(answers.at(-1)!.headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(await answers.at(-1)!.json(), {
      resource: 'https://shop.example.com/mcp',
      authorization_servers: ['https://login.example.com'],
      scopes_supported: ['books:read'],
      bearer_methods_supported: ['header'],
    });
  });
});
