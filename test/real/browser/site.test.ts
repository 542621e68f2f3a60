import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { serveOnLoopback } from '../../support/real/loopback.ts';
import { suiteContext } from '../../support/suite-context.ts';
import { barriersOf, launchChromium, needsChromium } from './chromium.ts';

const docs = join(import.meta.dirname, '../../../docs');
/** `npm run site` and `npm run test:real browser` build the site. */
const site = join(docs, '.vitepress/dist');
const names = (await readdir(docs)).filter((name) => name.endsWith('.md')).map((name) => name.replace(/\.md$/, ''));

describe('the documentation site in Chromium', needsChromium(), () => {
  let browser: Browser;
  const suite = suiteContext();
  let origin: string;

  before(async () => {
    browser = await launchChromium();
    const address = await serveOnLoopback(suite, (request, response) => {
      void readPage(new URL(request.url ?? '/', 'http://localhost').pathname).then(
        ({ type, content }) => response.writeHead(200, { 'content-type': type }).end(content),
        () => response.writeHead(404).end(),
      );
    });
    // Chromium is launched to reach only localhost.
    origin = address.replace('127.0.0.1', 'localhost');
  });

  after(() => browser.close());

  for (const width of [390, 1440]) {
    // It opens more than seventy pages, which takes a busy machine a minute.
    test(
      `every page fits ${width} pixels, shows all of its code, and links to pages and headings that exist`,
      { timeout: 180_000 },
      async (t) => {
        const page = await openPage(t, browser, width);
        const links = new Set<string>();
        const headings = new Map<string, readonly string[]>();
        for (const name of names) {
          const address = `${origin}/${pathOf(name)}`;
          await page.goto(address);
          const found = await page.evaluate<Found>(lookAtPage);
          headings.set(address, found.ids);
          for (const link of found.links) if (link.startsWith(origin)) links.add(link);
          const text = await readFile(join(docs, `${name}.md`), 'utf8');

          assert.equal(found.overflow, 0, `${name} is wider than the window`);
          // Each block of code has two fences.
          assert.equal(found.code * 2, text.match(/^ *```/gm)?.length ?? 0, `code blocks of ${name}`);
        }
        const broken = Array.from(links).filter((link) => {
          const [path = '', anchor] = link.replace(/\.html/, '').split('#');
          const ids = headings.get(path);
          return ids === undefined ? !path.endsWith('/playground/') : anchor !== undefined && !ids.includes(decodeURIComponent(anchor));
        });

        assert.deepEqual(broken, []);
      },
    );
  }

  test('the search leads to the page about each subject, offline', async (t) => {
    const page = await openPage(t, browser, 1440);
    await page.goto(`${origin}/`);
    await page.locator('.DocSearch-Button').click();
    const input = page.locator('.VPLocalSearchBox input');
    const results = page.locator('.VPLocalSearchBox .result');
    const missed: string[] = [];
    const searches = Object.entries(subjects).flatMap(([name, texts]) => texts.map((text) => [text, name] as const));
    for (const [text, name] of searches) {
      await input.fill('');
      await page.locator('.VPLocalSearchBox .result, .VPLocalSearchBox .no-results').first().waitFor({ state: 'detached' });
      await input.fill(text);
      await page.locator('.VPLocalSearchBox .result, .VPLocalSearchBox .no-results').first().waitFor();
      const hrefs = await results.evaluateAll<string[], { getAttribute(name: string): string | null }>((links) =>
        links.slice(0, 5).map((link) => link.getAttribute('href') ?? ''),
      );
      const found = hrefs.map((href) => /^\/([\w-]*)/.exec(href)?.[1] ?? '');
      if (!found.includes(name)) missed.push(`${text}: ${found.join(', ')}`);
    }

    assert.deepEqual(missed, []);
  });

  for (const scheme of ['light', 'dark'] as const) {
    test(`the front page and a page with code have no barrier that axe finds, ${scheme}`, async (t) => {
      const page = await openPage(t, browser, 1440, scheme);
      for (const path of ['', 'getting-started']) {
        await page.goto(`${origin}/${path}`);
        assert.deepEqual(await barriersOf(page), [], path);
      }
    });
  }

  test('the playground answers from the server in its page', async (t) => {
    const page = await openPage(t, browser, 1440);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await page.goto(`${origin}/playground/?query=${encodeURIComponent('{ book(id: "emma") { title author { name } } }')}`);
    await page.locator('.graphiql-execute-button').click();
    await page.getByText('Jane Austen').first().waitFor();

    assert.deepEqual(sent, []);
  });
});

/** The front page is docs/index.md, and the list of all pages docs/README.md. */
function pathOf(name: string): string {
  return name === 'index' ? '' : name === 'README' ? 'documentation' : name;
}

/** Pages, and what people search for: the page is among the first five results. */
const subjects: Readonly<Record<string, readonly string[]>> = {
  schema: ['pagination', 'versioning', 'deprecated', 'enum', 'nullability'],
  databases: ['postgres', 'n+1', 'prisma', 'drizzle', 'dataloader', 'mysql', 'mongodb'],
  clients: ['react', 'retry'],
  observability: ['logging', 'opentelemetry', 'sentry', 'prometheus'],
  cors: ['cors', 'cookie', 'session'],
  authentication: ['jwt'],
  time: ['timeout'],
  streaming: ['subscription', '@defer'],
  performance: ['cold start'],
  aws: ['function URL', 'terraform'],
  'rate-limiting': ['rate limit'],
  security: ['introspection'],
  uploads: ['upload'],
  'trusted-documents': ['persisted queries'],
  caching: ['redis', 'memcached'],
  testing: ['vitest'],
  codegen: ['codegen'],
  platforms: ['cloudflare', 'docker', 'express', 'health check'],
  rest: ['openapi'],
  federation: ['federation'],
  mcp: ['mcp'],
  migration: ['apollo'],
  idempotency: ['idempotency key'],
  build: ['monorepo'],
  events: ['websocket'],
  http: ['etag'],
};

interface Found {
  /** The number of pixels by which the page is wider than the window. */
  readonly overflow: number;
  /** The number of blocks of code. */
  readonly code: number;
  readonly links: readonly string[];
  readonly ids: readonly string[];
}

const lookAtPage = `({
  overflow: document.documentElement.scrollWidth - innerWidth,
  code: document.querySelectorAll('.vp-doc div[class*="language-"] pre').length,
  links: Array.from(document.querySelectorAll('.vp-doc a[href], aside a[href]'), ({ href }) => href),
  ids: Array.from(document.querySelectorAll('[id]'), ({ id }) => id),
})`;
/** Serves the site as static hosts do: `/errors` is `errors.html`. */
async function readPage(path: string): Promise<{ readonly type: string; readonly content: Buffer }> {
  const file = path.endsWith('/') ? `${path}index.html` : extname(path) === '' ? `${path}.html` : path;
  return { type: types[extname(file)] ?? 'text/plain', content: await readFile(join(site, decodeURIComponent(file))) };
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

/** A page in a window. The test fails if the browser complains about it. */
async function openPage(t: TestContext, browser: Browser, width: number, colorScheme: 'dark' | 'light' = 'light'): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  t.after(async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  return page;
}
