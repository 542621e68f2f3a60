import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { versionInfo } from 'graphql';
import type { Browser } from 'playwright-core';

import type { DevServer } from '../../../src/tools/cli/dev/dev.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { AuthenticationError, createHandler } from '../../../src/entries/index.ts';
import { serve } from '../../../src/entries/node.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { deferred } from '../../support/deferred.ts';
import { createEventSource } from '../../support/event-source.ts';
import { restEvent } from '../../support/events.ts';
import { serveExample } from '../../support/functions-project.ts';
import { serveEvents } from '../../support/real/loopback.ts';
import { contracts } from '../../support/results.ts';
import { barriersOf, launchChromium, needsChromium, PlaygroundPage } from './chromium.ts';
import type { PlaygroundOptions } from './chromium.ts';

let schemas = 0;

/** Options with a separate schema, because a second handler for the same schema logs a warning. */
function greeting(): ServerOptions {
  return {
    nodeEnv: 'development',
    csrfPrevention: true,
    typeDefs: `type Query { greet(name: String!): String } # ${++schemas}`,
    resolvers: { Query: { greet: (_, { name }) => `Hello, ${name}!` } },
  };
}

async function serveFor(t: TestContext, options: ServerOptions): Promise<string> {
  const server = await serve({ nodeEnv: 'development', csrfPrevention: true, ...options }, { port: 0, host: 'localhost', signals: false });
  t.after(() => server.close());
  return `${server.url}graphql`;
}

/** A REST API of API Gateway with the stage "prod", which is part of the URL, but not of the path in the event. */
async function serveStage(t: TestContext, handler: (event: any) => Promise<unknown>): Promise<string> {
  const origin = await serveEvents(t, { build: restEvent, contract: contracts.restAPI, stage: '/prod' }, (event) => handler(event));
  // Chromium is launched to reach only localhost.
  return `${origin.replace('127.0.0.1', 'localhost')}/prod/graphql`;
}

describe('the playground in Chromium', needsChromium(), () => {
  let browser: Browser;
  let dev: DevServer;
  let example: string;

  before(async () => {
    browser = await launchChromium();
    // Serves the example as `npm run dev` does: bundled, in a separate thread, under Netlify's prefix.
    dev = await serveExample();
    example = `${dev.url}/.netlify/functions/graphql`;
  });
  after(async () => {
    await browser?.close();
    await dev?.close();
  });

  const open = (t: TestContext, address = example, options?: PlaygroundOptions): Promise<PlaygroundPage> =>
    PlaygroundPage.open(t, browser, address, options);

  test('a query with variables runs and shows its result', async (t) => {
    const playground = await open(t);

    await playground.writeOperation('query Book($id: ID!) {\n  book(id: $id) {\n    title\n    author {\n      name\n    }\n  }\n}\n');
    await playground.writeVariables({ id: 'emma' });
    const answer = await playground.run();

    assert.equal(answer, '{"data":{"book":{"title":"Emma","author":{"name":"JaneAusten"}}}}');
  });

  test('a server that needs a header: the pane says so, and the schema is read once the header is typed', async (t) => {
    const url = await serveFor(t, {
      ...greeting(),
      context: ({ request }) => {
        if (request.headers.get('authorization') === null) throw new AuthenticationError('Sign in first.');
        return {};
      },
    });
    const playground = await open(t, url, { expects: /status of 401/ });
    const explorer = playground.page.locator('.docExplorerWrap');
    await explorer.getByText('If it needs a header, write it at "Headers"').waitFor();

    await playground.writeHeaders({ authorization: 'Bearer me' });

    await explorer.getByText('greet', { exact: true }).waitFor();
  });

  test('a button shows the explanation below the answer, also after a reload, and hides it when it is pressed again', async (t) => {
    const playground = await open(t);
    const { page } = playground;
    await playground.writeOperation('{ author(id: "austen") { name } }');
    const explain = async (): Promise<any> => {
      const responding = page.waitForResponse((response) => response.request().postData()?.includes('austen') === true);
      await page.getByRole('button', { name: /^Execute query/ }).click();
      return ((await (await responding).json()) as { extensions?: { explain: any } }).extensions?.explain;
    };

    await page.getByRole('button', { name: 'Explain how responses are made' }).click();
    const report = await explain();
    const panel = page.getByRole('region', { name: 'Explanation' });
    await panel.getByText('author  catalogue GET').waitFor();
    const status = await page.locator('.answer-panel summary').first().innerText();
    const shown = await page.locator('.result-window').innerText();
    await page.reload();
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    const reloaded = await explain();
    await page.getByRole('button', { name: 'Explanations are on, below each response' }).click();
    const afterwards = await explain();

    assert.equal(report.calls[0].field, 'author');
    assert.match(status, /^200 · \d+ ms · \d+ headers$/);
    assert.doesNotMatch(shown, /explain/);
    assert.equal(reloaded.calls[0].field, 'author');
    assert.equal(afterwards, undefined);
  });

  test('a mistake is marked while it is typed, by a worker that is part of the page', async (t) => {
    const playground = await open(t);

    await playground.writeOperation('{ nothingLikeIt }');
    await playground.page.locator('.graphiql-query-editor .squiggly-error').first().waitFor();

    assert.ok(playground.page.workers().length > 0);
  });

  test('each event of a subscription is shown when it arrives, until the button is pressed again', async (t) => {
    const source = createEventSource<{ word: string }>();
    const url = await serveFor(t, {
      typeDefs: 'type Query { hello: String } type Subscription { word: String }',
      resolvers: { Subscription: { word: { subscribe: () => source } } },
    });
    // The stopped request is a canceled one.
    const playground = await open(t, url, { expects: /^failed/ });

    await playground.writeOperation('subscription { word }');
    source.push({ word: 'first' });
    const first = await playground.run();
    source.push({ word: 'second' });
    await playground.page.locator('.result-window').getByText('second').waitFor();
    await playground.page.getByText('2 events · open').waitFor();
    await playground.page.getByRole('button', { name: /^Stop query/ }).click();
    await source.closed;
    await playground.page.getByText('2 events · ended').waitFor();
    const events = await playground.page.locator('.subscription-event code').allInnerTexts();

    assert.equal(first, '{"data":{"word":"first"}}');
    assert.deepEqual(events, ['{"word":"second"}', '{"word":"first"}']);
  });

  test('deferred data is shown when it arrives', { skip: versionInfo.major < 17 && 'graphql 16 answers once' }, async (t) => {
    const slow = deferred<string>();
    const resolvers = { Query: { greet: () => 'Hello!', slow: () => slow.promise } };
    const typeDefs = 'type Query { greet: String slow: String }';
    const url = await serveFor(t, { incrementalDelivery: incrementalDelivery(), typeDefs, resolvers });
    // GraphiQL stops reading at the closing boundary, which Chromium reports as a canceled request.
    const playground = await open(t, url, { expects: /^failed/ });

    await playground.writeOperation('{ greet ... @defer { slow } }');
    const first = await playground.run();
    slow.resolve('at last');
    await playground.page.locator('.result-window').getByText('at last').waitFor();

    assert.equal(first, '{"data":{"greet":"Hello!"}}');
  });

  test('behind a stage, where the address is longer than the path, it sends requests to its own address', async (t) => {
    const playground = await open(t, await serveStage(t, createHandler(greeting())));

    await playground.writeOperation('{ greet(name: "stage") }');
    const answer = await playground.run();

    assert.equal(answer, '{"data":{"greet":"Hello,stage!"}}');
  });

  test('a user who returns to the page after an edit sees the current schema', async (t) => {
    const later = { ...greeting(), typeDefs: 'type Query { greet(name: String!): String farewell: String }' };
    let now = createHandler(greeting());
    const playground = await open(t, await serveStage(t, (event) => now(event)));
    const { page } = playground;
    const documentation = page.locator('.graphiql-doc-explorer');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await documentation.getByRole('link', { name: 'Query' }).click();
    await documentation.getByRole('link', { name: 'greet' }).waitFor();

    now = createHandler(later);
    await page.evaluate("dispatchEvent(new Event('focus'))");

    await documentation.getByRole('link', { name: 'farewell' }).waitFor();
  });

  test('on a phone, the editor is above the answer', async (t) => {
    const { page } = await open(t, example, { viewport: { width: 390, height: 800 } });
    await page.getByRole('button', { name: /^Execute query/ }).click();

    await page.locator('.answer-panel').waitFor();
    const editor = await page.locator('.graphiql-editors').boundingBox();
    const response = await page.locator('.graphiql-response').boundingBox();

    assert.ok(response!.y >= editor!.y + editor!.height - 1);
    assert.ok(editor!.width > 250);

    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    const offset = async (): Promise<number> => {
      const text = await page.locator('.graphiql-query-editor .monaco-editor').first().boundingBox();
      return text!.y - (await page.locator('.graphiql-editors').boundingBox())!.y;
    };
    const before = await offset();
    const scrolled = await page.evaluate<number>(`(() => {
      const session = document.querySelector('#graphiql-session');
      session.scrollTo(0, 200);
      return session.scrollTop;
    })()`);
    // The text scrolls with its editor instead of covering the answer.
    assert.equal(await offset(), before);
    assert.ok(scrolled > 100, String(scrolled));
  });

  test('a link fills in an operation with its variables, and runs nothing; buttons copy it as such a link, and as curl', async (t) => {
    const query = 'query Book($id: ID!) { book(id: $id) { title } }';
    const link = new URLSearchParams({ query, variables: '{ "id": "emma" }' });
    const { page, sent } = await open(t, `${example}?${link}`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator('.graphiql-query-editor .view-lines').getByText('book', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    await page.locator('.graphiql-editor-tool .view-lines').getByText('emma').waitFor();
    assert.doesNotMatch(sent.join('\n'), /emma/);
    const copied = async (name: string): Promise<string> => {
      const button = page.getByRole('button', { name });
      await button.click();
      await button.getByText('Copied').waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    };

    const curl = await copied('Copy as curl');
    const copiedLink = await copied('Copy a link to this operation');

    assert.match(
      curl,
      /^curl 'http:\/\/localhost:\d+\/.netlify\/functions\/graphql' \\\n {2}-H 'content-type: application\/json' \\\n {2}--data '/,
    );
    const [, body] = /--data '(.*)'$/.exec(curl) ?? [];
    assert.deepEqual(JSON.parse(body!), { query, variables: { id: 'emma' }, operationName: 'Book' });
    assert.deepEqual(Object.fromEntries(new URL(copiedLink).searchParams), { query, variables: '{ "id": "emma" }', operationName: 'Book' });
  });

  test('fields of the explorer, which is open, are added to the operation and removed by keyboard', async (t) => {
    const { page } = await open(t);
    const operation = page.locator('.graphiql-query-editor .view-lines');
    const field = page.locator('.docExplorerWrap').getByRole('button', { name: 'year', exact: true });

    await field.focus();
    await page.keyboard.press('Enter');
    await operation.filter({ hasNotText: 'year' }).waitFor();
    await field.focus();
    await page.keyboard.press('Space');
    await operation.filter({ hasText: 'year' }).waitFor();
  });

  test('an error of the network, and an answer in another format, are shown without a stack', async (t) => {
    const playground = await open(t, example, { expects: /^failed|Failed to load/ });
    const { page } = playground;

    await page.route('**/functions/graphql', (route) => route.abort());
    const unanswered = await playground.run();
    await page.unroute('**/functions/graphql');
    await page.route('**/functions/graphql', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    );
    await page.getByRole('button', { name: /^Execute query/ }).click();
    const lines = page.locator('.result-window .view-lines');
    await lines.filter({ hasText: 'gateway' }).waitFor();
    const html = (await lines.innerText()).replaceAll(/\s/g, '');

    assert.match(unanswered, /^\{"errors":\[\{"message":"Therewasnoanswer:Failedtofetch\./);
    assert.match(html, /"message":"Theanswer,withstatus502,isnotJSON:<h1>Badgateway<\/h1>"/);
    for (const text of [unanswered, html]) assert.doesNotMatch(text, /stack|main-/);
  });

  for (const width of [390, 1440])
    for (const colorScheme of ['light', 'dark'] as const)
      test(`axe finds no barrier: ${width} px, ${colorScheme}`, async (t) => {
        const { page } = await open(t, example, { viewport: { width, height: 850 }, colorScheme });
        await page.getByRole('button', { name: /^Execute query/ }).click();
        await page.locator('.answer-panel').waitFor();

        // GraphiQL's tabs contain the buttons that close them.
        assert.deepEqual(await barriersOf(page, ['nested-interactive']), []);
      });

  test('a script without the nonce does not run', async (t) => {
    const { page } = await open(t, example, { expects: /Content Security Policy/ });

    const ran = await page.evaluate(`new Promise((resolve) => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective));
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }));
    })`);

    assert.equal(ran, 'script-src-elem');
    assert.equal(await page.evaluate('window.ran'), undefined);
  });
});
