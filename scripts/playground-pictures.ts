/**
 * Makes docs/playground.png and docs/figures/explain.png, and pictures for review in test/browser/.artifacts/: dark mode, a phone.
 * Needs Chromium and a build: `node scripts/playground-pictures.ts`.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { startDevServer } from '../src/tools/cli/dev/dev.ts';
import { launchChromium } from '../test/browser/chromium.ts';

const root = join(import.meta.dirname, '..');
const artifacts = join(root, 'test/browser/.artifacts');
const operation = `query Book($id: ID!) {
  book(id: $id) {
    title
    year
    author {
      name
    }
    reviews {
      stars
      text
    }
  }
}
`;

const dev = await startDevServer({
  directory: root,
  functions: 'functions',
  prefix: '/.netlify/functions',
  port: 0,
  host: 'localhost',
  environment: {},
  env: { CATALOGUE_URL: '{url}/.netlify/functions/catalogue/' },
  report: () => {},
});
const browser = await launchChromium();
await mkdir(artifacts, { recursive: true });
const link = `${dev.url}${dev.prefix}/graphql?${new URLSearchParams({ query: operation, variables: '{ "id": "emma" }' }).toString()}`;

await picture(join(root, 'docs/playground.png'), { width: 1120, height: 640 }, async () => {});
const explain = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Explain how responses are made' }).click();
};
await picture(join(root, 'docs/figures/explain.png'), { width: 1120, height: 760 }, explain);
await picture(join(artifacts, 'dark.png'), { width: 1120, height: 640 }, explain, 'dark');
await picture(join(artifacts, 'phone.png'), { width: 390, height: 800 }, explain);
await browser.close();
await dev.close();

async function picture(
  path: string,
  viewport: { width: number; height: number },
  prepare: (page: Page) => Promise<void>,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<void> {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(link);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await prepare(page);
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.result-window').getByText('title').waitFor();
  await page.screenshot({ path });
  await page.close();
}
