import type { IncomingMessage } from 'node:http';

import type { LocalFunction } from './local-function.ts';

/** True when a browser requests a page. */
export function takesPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && /(?:^|,)\s*text\/html\b/.test(headers.accept ?? '');
}

/** Lists the functions, with links. */
export function homePage({
  prefix,
  functions,
}: {
  readonly prefix: string;
  readonly functions: ReadonlyMap<string, LocalFunction>;
}): string {
  const shown = [...functions.values()].filter(({ isHelper }) => !isHelper);
  const items = shown.map(
    ({ name, isBroken }) => `<li><a href="${prefix}/${name}">${prefix}/${name}</a>${isBroken ? ' cannot run' : ''}</li>`,
  );
  return page('Functions', shown.length === 0 ? '<p>There is no function yet.</p>' : `<ul>${items.join('')}</ul>`);
}

/** Says why a request failed. The page reloads itself, so that it shows the function once the file is fixed. */
export function refusalPage(heading: string, message: string): string {
  return page(heading, `<pre>${escaped(message)}</pre>`, '<meta http-equiv="refresh" content="2">');
}

function page(title: string, body: string, head = ''): string {
  const style =
    'body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 3em auto; padding: 0 1em } pre { background: #8882; padding: 1em; overflow-x: auto; white-space: pre-wrap } :root { color-scheme: light dark }';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<link rel="icon" href="data:,">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
