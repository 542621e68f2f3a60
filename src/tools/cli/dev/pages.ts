import type { IncomingMessage, ServerResponse } from 'node:http';

import type { LocalFunction } from './function-host.ts';

/** True when a browser requests a page. */
export function takesPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && /(?:^|,)\s*text\/html\b/.test(headers.accept ?? '');
}

/** Lists the functions, with links. */
export function homePage(prefix: string, functions: ReadonlyMap<string, LocalFunction>): string {
  const shown = [...functions.values()].filter(({ isHelper }) => !isHelper);
  const items = shown.map(({ name, problem }) => {
    const state = problem === undefined ? '' : '<span class="error">cannot run</span>';
    return `<li><a href="${prefix}/${name}">${prefix}/${name}</a>${state}</li>`;
  });
  return page('Functions', shown.length === 0 ? '<p>No functions yet.</p>' : `<ul>${items.join('')}</ul>`);
}

/** Sends a page that shows only what is in it. */
export function sendPage(response: ServerResponse, status: number, html: string): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  // The icon is an empty data: URL, so that browsers do not request /favicon.ico.
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'";
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    'content-security-policy': policy,
  });
  response.end(html);
}

/** Why a request failed. */
export interface Failure {
  readonly status: number;
  readonly heading: string;
  readonly message: string;
}

/** Answers with the reason: a page for browsers, JSON for clients that ask for it, which cannot show another form, and text for `curl`. */
export function sendFailure(request: IncomingMessage, response: ServerResponse, { status, heading, message }: Failure): void {
  // It is too late for another response. Closing the connection shows that this one is incomplete.
  if (response.headersSent) response.destroy();
  else if (takesPage(request)) {
    // The page reloads itself, so that it shows the function once the file is fixed.
    const body = `<pre>${escaped(message)}</pre><p class="note">This page reloads when you save the file.</p>`;
    sendPage(response, status, page(heading, body, '<meta http-equiv="refresh" content="2">'));
  } else {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const [type = 'text/plain'] = /application\/(?:graphql-response\+)?json/i.exec(request.headers.accept ?? '') ?? [];
    const code = status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR';
    // Closing the connection saves reading the rest of a body that is too large.
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, ...(status === 413 && { connection: 'close' }) });
    response.end(type === 'text/plain' ? `${message}\n` : JSON.stringify({ errors: [{ message, extensions: { code } }] }));
  }
}

/** The colors are those of the playground, light and dark, with the contrast that WCAG 2 asks for (AA). Long lines of code scroll, so that the marks below them stay in place. */
const style = `
:root { color-scheme: light dark; --text: #3b4b68; --muted: #5c6a87; --back: #fff; --panel: #eff1f5; --link: #c80587; --error: #c8102e }
@media (prefers-color-scheme: dark) { :root { --text: #b7c2d7; --muted: #9aa6bd; --back: #212a3b; --panel: #2d3647; --link: #ff75a8; --error: #ff8a93 } }
body { font: 16px/1.5 Roboto, system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 60em; margin: 0 auto; padding: 2em 1em }
h1 { font-size: 1.5em; font-weight: 500 }
a { color: var(--link) }
ul { list-style: none; padding: 0 }
li { background: var(--panel); border-radius: 8px; padding: 12px 16px; margin: 8px 0; overflow-wrap: anywhere }
pre { font: 14px/1.5 'Fira Code', ui-monospace, monospace; background: var(--panel); border-radius: 8px; padding: 16px; overflow-x: auto; white-space: pre }
.error { color: var(--error); margin-left: 1em }
.note { color: var(--muted); font-size: 14px }
`;

function page(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<link rel="icon" href="data:,">
<title>${title} | graphql-functions dev</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
