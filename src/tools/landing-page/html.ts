import type { LandingPage } from '../../server/index.ts';
import { readPlayground } from './playground-files.ts';
import type { PackedPlayground } from './playground-files.ts';

/**
 * One HTML document and its headers. It contains nothing from the request, the schema or the options, because such contents have allowed
 * script injection in pages of other servers. The page reads its settings from its URL.
 */
export function createPage({ embedded, playground, explains }: PageSettings): LandingPage {
  // 128 random bits, new for every response, because a reused nonce could be read on one page and used on another.
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  const packed = playground ?? (embedded ? readPlayground() : undefined);
  return {
    html: packed === undefined ? smallPage() : playgroundPage(nonce, packed, explains),
    headers: {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      // A page of another site that opens this one in a window must not keep a reference to it.
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy': policy(nonce),
    },
  };
}

/** The settings of a page. */
interface PageSettings {
  /** True for GraphiQL; false for a small page with the endpoint's URL. */
  readonly embedded: boolean;
  /** The content of the playground. Undefined: it is read from the package, if there is a file system. */
  readonly playground: PackedPlayground | undefined;
  /** False where the server cannot load the tool that explains operations. */
  readonly explains: boolean;
}

/**
 * Scripts need the nonce. Styles may be inline, because the editor creates them at run time. Other origins are blocked; workers
 * and fonts are in the page.
 */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    'worker-src blob:',
    'font-src data:',
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The start of every page. */
const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">`;

/**
 * GraphiQL. One response contains everything, because a function is one endpoint. It stays compressed until it is in the browser,
 * because uncompressed it would exceed the response size limit of platforms (6 MB on Lambda).
 */
function playgroundPage(nonce: string, { script, style, worker }: PackedPlayground, explains: boolean): string {
  return `${head}
<title>GraphQL playground</title>
<style>html, body, main, #playground { height: 100%; margin: 0 } .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) } .loading { font: 16px system-ui, sans-serif; padding: 2em }</style>
</head>
<body>
<main><h1 class="unseen">GraphQL playground</h1><div id="playground"><p class="loading">Loading the playground …</p></div></main>
<noscript><p class="loading">The playground requires JavaScript. This URL is a GraphQL endpoint.</p></noscript>
<script type="text/plain" id="packed-script">${script}</script>
<script type="text/plain" id="packed-style">${style}</script>
<script type="text/plain" id="packed-worker">${worker}</script>
<script nonce="${nonce}">window.playgroundExplains = ${explains};${unpack}</script>
</body>
</html>
`;
}

/** Runs in the browser. An inserted script needs the nonce, which only a script with the nonce can read. */
const unpack = `
(async (nonce) => {
  const unpack = (name) => {
    const packed = document.querySelector('#packed-' + name);
    const bytes = Uint8Array.from(atob(packed.textContent), (character) => character.charCodeAt(0));
    packed.remove();
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  };
  const [script, style, worker] = await Promise.all(['script', 'style', 'worker'].map(unpack));
  window.playgroundWorker = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));
  document.head.append(Object.assign(document.createElement('style'), { textContent: style }));
  document.body.append(Object.assign(document.createElement('script'), { nonce, textContent: script }));
})(document.currentScript.nonce);
`;

function smallPage(): string {
  return `${head}
<title>GraphQL endpoint</title>
</head>
<body>
<h1>A GraphQL endpoint</h1>
<p>Send operations to this address, with POST and JSON: <code>{"query":"{ __typename }"}</code></p>
<p>In development, introspection is on by default, so that tools can explore the schema.</p>
</body>
</html>
`;
}
