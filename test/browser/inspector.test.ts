import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { Browser } from 'playwright-core';

import { mcp, mcpDefinitions } from '../../src/entries/mcp.ts';
import { serve } from '../../src/entries/node.ts';
import { launchChromium, needsChromium } from './chromium.ts';

let browser: Browser;
let server: Awaited<ReturnType<typeof serve>>;

const settings = needsChromium();

before(async () => {
  if (settings.skip !== false) return;
  browser = await launchChromium();
  server = await serve(
    {
      nodeEnv: 'development',
      csrfPrevention: true,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      typeDefs: [mcpDefinitions, 'type Query { hello(name: String! = "Ada"): String }'],
      resolvers: { Query: { hello: (_, { name }) => `Hello, ${name} <b>!` } },
      trustedDocuments: {
        documents: { a: 'query Hello($name: String! = "Ada") @mcpTool(description: "Says hello") { hello(name: $name) }' },
      },
      plugins: [mcp({ name: 'greetings', version: '1.0.0' })],
    },
    { port: 0, host: '127.0.0.1', signals: false },
  );
});
after(async () => {
  await browser?.close();
  await server?.close();
});

test('the inspector lists tools, calls one, and shows both messages', settings, async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));

  await page.goto(`http://localhost:${new URL(server.url).port}/mcp`);
  await page.getByText('hello', { exact: true }).click();
  await page.getByLabel('Arguments of hello').fill('{ "name": "Grace" }');
  await page.getByRole('button', { name: 'Call hello' }).click();
  const [sent, answer] = await Promise.all([0, 1].map((at) => page.locator('div > pre').nth(at).textContent()));

  assert.deepEqual(JSON.parse(sent ?? '').params, { name: 'hello', arguments: { name: 'Grace' } });
  assert.deepEqual(JSON.parse(answer ?? '').result.structuredContent, { hello: 'Hello, Grace <b>!' });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  assert.deepEqual(complaints, []);
  await page.close();
});
