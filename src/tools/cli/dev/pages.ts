import type { IncomingMessage, ServerResponse } from 'node:http';

/** Why a request failed. */
export interface Failure {
  readonly status: number;
  readonly message: string;
}

/** Answers with the reason: a page for browsers, JSON for clients that ask for it, which cannot show another form, and text for `curl`. */
export function sendFailure({ method, headers }: IncomingMessage, response: ServerResponse, failure: Failure): void {
  const { status, message } = failure;
  const { accept = '' } = headers;
  // It is too late for another response. Closing the connection shows that this one is incomplete.
  if (response.headersSent) response.destroy();
  else if (method === 'GET' && /(?:^|,)\s*text\/html\b/.test(accept)) {
    response.writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      // The icon is an empty data: URL, so that browsers do not request /favicon.ico.
      'content-security-policy': "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'",
    });
    response.end(page(failure));
  } else {
    const [type = 'text/plain'] = /application\/(?:graphql-response\+)?json/i.exec(accept) ?? [];
    const code = status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR';
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8` });
    response.end(type === 'text/plain' ? `${message}\n` : JSON.stringify({ errors: [{ message, extensions: { code } }] }));
  }
}

/** For a broken function it reloads itself, and shows the function once the file is fixed. Long lines of code scroll, so that the marks below them stay in place. */
function page({ status, message }: Failure): string {
  const heading = status === 404 ? 'Not found' : status < 500 ? 'Request refused' : 'This function failed';
  const escaped = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${status === 500 ? '<meta http-equiv="refresh" content="2">' : ''}
<link rel="icon" href="data:,">
<title>${heading} | graphql-functions dev</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 0 auto; padding: 2em 1em }
pre { font-size: 14px; background: light-dark(#eff1f5, #2d3647); border-radius: 8px; padding: 16px; overflow-x: auto }
</style>
</head>
<body>
<main>
<h1>${heading}</h1>
<pre tabindex="0">${escaped.replaceAll(/^ {2}(\/\S+)$/gm, '  <a href="$1">$1</a>')}</pre>
${status === 500 ? '<p>This page reloads when you save a file.</p>' : ''}
</main>
</body>
</html>
`;
}
