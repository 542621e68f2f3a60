// Runs official clients of the Model Context Protocol, and its conformance suite, against the extension `mcp`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { budget, memoryStore } from '../../../dist/esm/budget.js';
import { limits } from '../../../dist/esm/limits.js';
import { mcp, mcpDefinitions } from '../../../dist/esm/mcp.js';
import { serveDuringTests } from './served.mjs';

const server = serveDuringTests({
  nodeEnv: 'test',
  typeDefs: [
    mcpDefinitions,
    'type Query { "Says hello" hello: String fails: String! book(id: ID!): Book } type Book { title: String! pages: Int }',
  ],
  resolvers: {
    Query: {
      hello: () => 'This is a simple text response for testing.',
      fails: () => {
        throw new Error('This tool intentionally returns an error for testing');
      },
      book: (_, { id }) => ({ title: `Book ${id}` }),
    },
  },
  trustedDocuments: {
    documents: {
      simple: 'query TestSimpleText @mcpTool { hello }',
      error: 'query TestErrorHandling @mcpTool(description: "Fails") { fails }',
      book: 'query GetBook($id: ID!) @mcpTool(description: "One book") { book(id: $id) { title pages } }',
    },
    only: true,
  },
  plugins: [
    mcp({ name: 'shop', version: '1.0.0', origins: ['http://localhost'], explore: true }),
    limits({ maxCost: 100 }),
    budget({ store: memoryStore(), identity: () => 'agent', capacity: 1000, refillPerSecond: 1, whenStoreFails: 'refuse' }),
  ],
});
const urlOf = () => `http://localhost:${new URL(server.url).port}/mcp`;

for (const [generation, packages, options] of [
  ['2025', ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/streamableHttp.js'], undefined],
  ['2026 with the handshake of 2025', ['@modelcontextprotocol/client', '@modelcontextprotocol/client'], undefined],
  ['2026', ['@modelcontextprotocol/client', '@modelcontextprotocol/client'], { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
]) {
  test(`the official client of ${generation} connects, lists, calls, and gets errors`, async () => {
    const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all(packages.map((name) => import(name)));
    const client = new Client({ name: 'test', version: '1.0.0' }, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(urlOf())));

    const { tools } = await client.listTools();
    const called = await client.callTool({ name: 'get_book', arguments: { id: '7' } });
    const found = await client.callTool({ name: 'search_schema', arguments: { query: 'title of a book' } });
    const run = await client.callTool({ name: 'run_query', arguments: { query: '{ book(id: 8) { title } }' } });
    const failed = await client.callTool({ name: 'test_error_handling', arguments: {} });

    assert.deepEqual(
      tools.map(({ name }) => name),
      ['get_book', 'test_error_handling', 'test_simple_text', 'run_query', 'search_schema'],
    );
    assert.deepEqual(called.structuredContent, { book: { title: 'Book 7', pages: null } });
    assert.deepEqual(found.structuredContent.paths, ['Query.book.title', 'Query.book', 'Query.book.pages']);
    assert.deepEqual(run.structuredContent.data, { book: { title: 'Book 8' } });
    assert.equal(failed.isError, true);
    await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /Unknown tool/);
    await client.close();
  });
}

// Left out: prompts, resources, completion, sampling, elicitation, logging, tasks and event streams, which the extension does not have.
describe('the conformance suite', () => {
  const program = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')), 'dist/index.js');
  const inBoth = ['tools-list', 'tools-call-simple-text', 'tools-call-error'];
  for (const [version, scenarios] of [
    ['2025-11-25', ['server-initialize', 'ping', ...inBoth]],
    ['2026-07-28', ['http-header-validation', 'input-required-result-unsupported-methods', ...inBoth]],
  ]) {
    for (const scenario of scenarios) {
      test(`${scenario}, ${version}`, async () => {
        const output = await run([program, 'server', '--url', urlOf(), '--scenario', scenario, '--spec-version', version]);

        assert.match(output, /Passed: (\d+)\/\1, 0 failed/);
      });
    }
  }

  test('server-stateless, 2026-07-28: all but the checks of tools that need sampling or event streams', async () => {
    const output = await run([program, 'server', '--url', urlOf(), '--scenario', 'server-stateless', '--spec-version', '2026-07-28']);

    const failures = [...output.matchAll(/\[(sep-[\w-]+)\s*\] \S*FAILURE/g)].map(([, name]) => name);
    assert.deepEqual(failures, [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
    ]);
  });
});

/** What a program prints, whether it succeeds or fails. */
function run(args) {
  return new Promise((resolve) => {
    execFile(process.execPath, args, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}
