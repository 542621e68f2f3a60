import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';

import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const program = '/usr/bin/chromium';

/** The options for `describe` of tests in the browser, which are skipped without a browser. If CI is set, they run and fail, so that a missing browser is noticed. */
export function needsChromium(): { skip: string | false } {
  if (existsSync(program) || process.env['CI'] === 'true') return { skip: false };
  return { skip: `there is no ${program} (on Debian: apt-get install chromium)` };
}

/** A browser that can reach only localhost, so that the pages in it are known to work offline. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost',
    ],
  });
}

/** What axe finds on a page that keeps people from using it (WCAG 2, levels A and AA, and good practice): the rule and the element. */
export async function barriersOf(page: Page, except: readonly string[] = []): Promise<string[]> {
  // Evaluated by the debugger, because the page's policy allows no other script.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResult>("axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'best-practice'] })");
  return violations
    .filter(({ id }) => !except.includes(id))
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`));
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
  }[];
}

export interface PlaygroundOptions extends BrowserContextOptions {
  /** The complaints that the test provokes. */
  readonly expects?: RegExp;
}

/** The playground at an address. The test fails if its page has complaints, or sends requests to other origins. */
export class PlaygroundPage {
  readonly page: Page;
  /** Errors and warnings of the console, exceptions, failed requests, and requests to other origins. */
  readonly complaints: string[] = [];
  /** The bodies of its requests. */
  readonly sent: string[] = [];

  private constructor(page: Page, address: string) {
    this.page = page;
    const { origin } = new URL(address);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('requestfailed', (request) => {
      // When the browser leaves a page, it cancels the requests of its workers.
      const isLeft = request.failure()?.errorText === 'net::ERR_ABORTED' && /^blob:|\/worker-/.test(request.url());
      if (!isLeft) this.complaints.push(`failed: ${request.url()}`);
    });
    page.on('request', (request) => {
      this.sent.push(request.postData() ?? '');
      // The URL of a blob contains the origin that it belongs to.
      if (new URL(request.url()).origin !== origin && !request.url().startsWith('data:')) this.complaints.push(`foreign: ${request.url()}`);
    });
  }

  /** Opens the page in a window without stored data, and waits until its editor is ready. */
  static async open(t: TestContext, browser: Browser, address: string, options: PlaygroundOptions = {}): Promise<PlaygroundPage> {
    const { expects, ...settings } = options;
    const page = await browser.newPage({ viewport: { width: 1120, height: 640 }, ...settings });
    page.setDefaultTimeout(20_000);
    const playground = new PlaygroundPage(page, address);
    t.after(async () => {
      await page.close();
      const complaints = playground.complaints.filter((complaint) => expects?.test(complaint) !== true);
      assert.deepEqual(complaints, []);
    });
    await page.goto(address);
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    return playground;
  }

  async writeOperation(text: string): Promise<void> {
    await this.#write('.graphiql-query-editor', text);
  }

  async writeVariables(variables: object): Promise<void> {
    await this.page.getByRole('button', { name: 'Variables', exact: true }).click();
    await this.#write('.graphiql-editor-tool', JSON.stringify(variables));
  }

  async writeHeaders(headers: object): Promise<void> {
    await this.page.getByRole('button', { name: 'Headers', exact: true }).click();
    await this.#write('.graphiql-editor-tool .graphiql-editor:not(.hidden)', JSON.stringify(headers));
  }

  /** Runs the operation in the editor. Returns the answer without white space, because the editor changes spaces and may wrap lines. */
  async run(): Promise<string> {
    await this.page.getByRole('button', { name: /^Execute query/ }).click();
    const lines = this.page.locator('.result-window .view-lines');
    await lines.getByText('}').first().waitFor();
    const text = await lines.innerText();
    return text.replaceAll(/\s/g, '');
  }

  /** Pastes the text, because the editor adds brackets to text that is typed. */
  async #write(editor: string, text: string): Promise<void> {
    await this.page.locator(`${editor} .monaco-editor`).first().click();
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(text)});
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }`);
  }
}
