import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { mcp, mcpDefinitions } from '../../src/entries/mcp.ts';
import { serve } from '../../src/entries/node.ts';
import { barriersOf, launchChromium, needsChromium } from './chromium.ts';

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
      typeDefs: [
        mcpDefinitions,
        `type Query { hello(name: String! = "Ada"): String order(count: Int!, size: Size!, gift: Boolean, note: String, to: To): Int }
        enum Size { SMALL LARGE } input To { city: String }`,
      ],
      resolvers: { Query: { hello: (_, { name }) => `Hello, ${name} <b>!`, order: (_, { count }) => count } },
      trustedDocuments: {
        documents: {
          a: 'query Hello($name: String! = "Ada") @mcpTool(description: "Says hello") { hello(name: $name) }',
          b: `query Order($count: Int!, $size: Size!, $gift: Boolean, $note: String, $to: To) @mcpTool(description: "Orders") {
            order(count: $count, size: $size, gift: $gift, note: $note, to: $to)
          }`,
        },
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

async function open(width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<[page: Page, complaints: string[]]> {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`http://localhost:${new URL(server.url).port}/mcp`);
  return [page, complaints];
}

test('the inspector lists tools, calls one from a form, and shows both messages', settings, async () => {
  const [page, complaints] = await open(390);

  await page.getByText('hello', { exact: true }).click();
  assert.equal(await page.getByLabel('name (optional)').inputValue(), 'Ada');
  await page.getByLabel('name (optional)').fill('Grace');
  await page.getByRole('button', { name: 'Call hello' }).click();
  const [sent, answer] = await Promise.all([0, 1].map((at) => page.locator('.messages > pre').nth(at).textContent()));

  assert.deepEqual(JSON.parse(sent ?? '').params, { name: 'hello', arguments: { name: 'Grace' } });
  assert.deepEqual(JSON.parse(answer ?? '').result.structuredContent, { hello: 'Hello, Grace <b>!' });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('the form has an input for each kind of argument, and leaves out what is empty', settings, async () => {
  const [page, complaints] = await open(1120);

  await page.getByText('order', { exact: true }).click();
  await page.getByLabel('count', { exact: true }).fill('3');
  await page.getByLabel('size', { exact: true }).selectOption('LARGE');
  await page.getByLabel('gift (optional)').check();
  await page.getByLabel('to (optional)').fill('{ "city": "Bath" }');
  await page.getByRole('button', { name: 'Call order' }).click();
  const sent = await page.locator('.messages > pre').first().textContent();

  assert.deepEqual(JSON.parse(sent ?? '').params, {
    name: 'order',
    arguments: { count: 3, size: 'LARGE', gift: true, to: { city: 'Bath' } },
  });
  await page.getByLabel('to (optional)').fill('{');
  await page.getByRole('button', { name: 'Call order' }).click();
  await page.getByText(/^The call failed: .*JSON/).waitFor();
  assert.deepEqual(complaints, []);
  await page.close();
});

test('it shows the endpoint and the lines for clients, and links to the playground, which links back', settings, async () => {
  const [page] = await open(1120);
  const endpoint = page.url();

  assert.equal(await page.locator('#endpoint').textContent(), endpoint);
  await page.getByText('Connect a client').click();
  assert.equal(await page.locator('#clients pre').first().textContent(), `claude mcp add --transport http greetings ${endpoint}`);
  await page.getByRole('link', { name: 'Playground of this endpoint' }).click();
  await page.getByRole('link', { name: 'MCP tools' }).click();
  await page.getByText('hello', { exact: true }).waitFor();
  assert.equal(page.url(), endpoint);
  await page.close();
});

for (const width of [390, 1120])
  for (const scheme of ['light', 'dark'] as const)
    test(`it has no barrier that axe finds: ${width} px, ${scheme}`, settings, async () => {
      const [page] = await open(width, scheme);
      await page.getByText('Connect a client').click();
      await page.getByText('order', { exact: true }).click();

      assert.deepEqual(await barriersOf(page), []);
      await page.close();
    });
