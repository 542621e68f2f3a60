import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { modernMeta, serveTools } from '../../../support/mcp-serving.ts';

describe('version 2026-07-28', () => {
  const good = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'get_book' };
  const params = { name: 'get_book', arguments: { id: '1' }, _meta: modernMeta };
  const versionKey = 'io.modelcontextprotocol/protocolVersion';
  const future = { ...params, _meta: { ...modernMeta, [versionKey]: '2099-01-01' } };

  for (const [what, headers, given, status, code] of [
    ['fitting headers', good, params, 200],
    ['spaces around a value', { ...good, 'mcp-name': ' get_book ' }, params, 200],
    ['a name in base64', { ...good, 'mcp-name': `=?base64?${btoa('get_book')}?=` }, params, 200],
    ['a name in base64 with a byte order mark', { ...good, 'mcp-name': '=?base64?77u/Z2V0X2Jvb2s=?=' }, params, 400, -32_020],
    ['a name in invalid base64', { ...good, 'mcp-name': '=?base64?Z2V0X2Jvb2?=' }, params, 400, -32_020],
    ['another version header', { ...good, 'mcp-protocol-version': '2025-11-25' }, params, 400, -32_020],
    ['no version header', { 'mcp-method': 'tools/call', 'mcp-name': 'get_book' }, params, 400, -32_020],
    ['an unknown version', { ...good, 'mcp-protocol-version': '2099-01-01' }, future, 400, -32_022],
    ['no method header', { 'mcp-protocol-version': '2026-07-28', 'mcp-name': 'get_book' }, params, 400, -32_020],
    ['another method header', { ...good, 'mcp-method': 'TOOLS/CALL' }, params, 400, -32_020],
    ['no name header', { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }, params, 400, -32_020],
    ['another name header', { ...good, 'mcp-name': 'rename' }, params, 400, -32_020],
    ['no _meta', good, { name: 'get_book', arguments: { id: '1' } }, 400, -32_602],
    ['no capabilities', good, { ...params, _meta: { [versionKey]: '2026-07-28' } }, 400, -32_602],
    ['client information', good, { ...params, _meta: { ...modernMeta, 'io.modelcontextprotocol/clientInfo': {}, more: 1 } }, 200],
  ] as const)
    test(`answers a call with ${what} with ${status}`, async () => {
      const { post, runs } = serveTools();

      const response = await post({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: given }, headers);
      const answer = (await response.json()) as any;

      assert.deepEqual([response.status, answer.id, answer.error?.code], [status, 'x', code]);
      assert.equal(runs.length, status === 200 ? 1 : 0);
    });

  for (const header of [{ 'mcp-method': 'tools/list' }, { 'mcp-name': 'rename' }] as const)
    test(`is not needed to refuse a call whose ${Object.keys(header)[0]} differs from the body`, async () => {
      const { post, runs } = serveTools();

      const call = { name: 'get_book', arguments: { id: '1' } };
      const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, header);

      assert.deepEqual([response.status, ((await response.json()) as any).error.code, runs], [400, -32_020, []]);
    });

  test('has discovery, a list of tools, and calls', async () => {
    const { modern } = serveTools();

    const resultOf = async (...given: [method: string, params?: object]): Promise<any> =>
      ((await (await modern(...given)).json()) as any).result;

    const discovered = await resultOf('server/discover');
    const listed = await resultOf('tools/list');
    const called = await resultOf('tools/call', { name: 'get_book', arguments: { id: '2' } });

    const serverInfo = { name: 'shop', version: '1.4.0' };
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
    const hints = { ttlMs: 300_000, cacheScope: 'private' };
    assert.deepEqual(discovered, {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      instructions: 'Ask for books.',
      ...hints,
      _meta,
    });
    const listedNames = listed.tools.map(({ name }: { name: string }) => name);
    assert.deepEqual(listedNames, ['fails', 'get_book', 'mine', 'rename', 'search-all']);
    assert.deepEqual({ ...listed, tools: [] }, { resultType: 'complete', tools: [], ...hints, _meta });
    assert.deepEqual(called, {
      resultType: 'complete',
      content: [{ type: 'text', text: '{"book":{"title":"Frankenstein","pages":null,"author":null}}' }],
      structuredContent: { book: { title: 'Frankenstein', pages: null, author: null } },
      _meta,
    });
  });

  test('does not have the methods of older versions', async () => {
    const { modern } = serveTools();

    for (const method of ['initialize', 'ping', 'prompts/list', 'toString']) {
      const response = await modern(method);
      assert.deepEqual([response.status, ((await response.json()) as any).error.code], [404, -32_601], method);
    }
  });
});

describe('versions 2025-11-25 and 2025-06-18', () => {
  test('start with a version that both sides support', async () => {
    const { legacy } = serveTools();

    for (const [asked, expected = '2025-11-25'] of [
      ['2025-06-18', '2025-06-18'],
      ['2025-11-25'],
      ['2025-03-26'],
      ['2024-11-05'],
      ['2026-07-28'],
    ]) {
      const params = { protocolVersion: asked, capabilities: {}, clientInfo: {} };
      assert.equal((await legacy('initialize', params)).result.protocolVersion, expected);
    }
    assert.equal((await legacy('initialize')).error.code, -32_602);
  });

  test('list and call tools without the fields of the newer version', async () => {
    const { legacy } = serveTools();
    const called = (await legacy('tools/call', { name: 'get_book', arguments: { id: '1' } })).result;

    assert.deepEqual(Object.keys((await legacy('tools/list')).result), ['tools']);
    assert.deepEqual(Object.keys(called), ['content', 'structuredContent']);
    assert.deepEqual((await legacy('ping')).result, {});
    assert.equal((await legacy('server/discover')).error.code, -32_601);
    assert.equal((await legacy('tools/list', { cursor: '' })).error.code, -32_602);
  });
});
