import type { LandingPage } from '../../server/index.ts';
import { createNonce, head, headers } from './page-headers.ts';
import { addressOf, findPlayground, readPacked } from './playground-files.ts';
import type { PackedPlayground, PlaygroundFiles } from './playground-files.ts';

/**
 * One HTML document and its headers. It contains nothing from the request, the schema or the options, because that has allowed script
 * injection in pages of other servers. The page reads what it needs from its URL.
 */
export function createPage({ embedded, playground, explains }: PageSettings): LandingPage {
  const nonce = createNonce();
  const files = embedded && playground === undefined ? findPlayground() : undefined;
  const address = files && addressOf(files);
  const csp = { 'content-security-policy': policy(nonce, address === undefined ? '' : " 'self'") };
  return { html: htmlOf({ nonce, playground, files, address, explains }), headers: { ...headers, ...csp } };
}

/** The settings of a page. */
interface PageSettings {
  /** False: a small page with the endpoint's URL. */
  readonly embedded: boolean;
  /** The content of the playground. Undefined: it is read from the package, if there is a file system. */
  readonly playground: PackedPlayground | undefined;
  /** False where the server cannot load the tool that explains operations. */
  readonly explains: boolean;
}

function htmlOf({ nonce, playground, files, address, explains }: PageParts): string {
  const settings = `window.playgroundExplains = ${explains};`;
  if (files !== undefined && address !== undefined)
    return playgroundPage(linked({ nonce, settings }, files, address), `<link rel="stylesheet" href="${address}${files.style}">`);
  const packedFiles = playground ?? (files && readPacked(files));
  return packedFiles === undefined ? smallPage(nonce) : playgroundPage(packed({ nonce, settings }, packedFiles));
}

interface PageParts {
  readonly nonce: string;
  readonly playground: PackedPlayground | undefined;
  readonly files: PlaygroundFiles | undefined;
  /** Where the dev server serves the files. */
  readonly address: string | undefined;
  readonly explains: boolean;
}

/**
 * Scripts need the nonce. Styles may be inline, because the editor creates them at run time. Other origins are blocked; workers
 * and fonts are in the page or in `files`.
 */
function policy(nonce: string, files: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'unsafe-inline'${files}`,
    "connect-src 'self'",
    `worker-src blob:${files}`,
    'font-src data:',
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** GraphiQL, either from files of the dev server or inlined in the page. */
function playgroundPage(scripts: string, links = ''): string {
  return `${head}
<title>GraphQL playground</title>
<style>html, body, main, #playground { height: 100%; margin: 0 } .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) } .loading { font: 16px system-ui, sans-serif; padding: 2em }</style>
${links}
</head>
<body>
<main><h1 class="unseen">GraphQL playground</h1><div id="playground"><p class="loading">Loading the playground …</p></div></main>
<noscript><p class="loading">The playground requires JavaScript. This URL is a GraphQL endpoint.</p></noscript>
${scripts}
</body>
</html>
`;
}

interface InlineScript {
  readonly nonce: string;
  /** Assignments that the playground reads. */
  readonly settings: string;
}

function linked({ nonce, settings }: InlineScript, { script, worker }: PlaygroundFiles, address: string): string {
  return `<script nonce="${nonce}">${settings} window.playgroundWorker = ${JSON.stringify(address + worker)}</script>
<script nonce="${nonce}" src="${address}${script}"></script>`;
}

/**
 * One response contains everything, because a function is one endpoint. It stays compressed until it is in the browser, because
 * uncompressed it would exceed the response size limit of platforms (6 MB on Lambda).
 */
function packed({ nonce, settings }: InlineScript, { script, style, worker }: PackedPlayground): string {
  return `<script type="text/plain" id="packed-script">${script}</script>
<script type="text/plain" id="packed-style">${style}</script>
<script type="text/plain" id="packed-worker">${worker}</script>
<script nonce="${nonce}">${settings}${unpack}</script>`;
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

function smallPage(nonce: string): string {
  return `${head}
<title>GraphQL endpoint</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 44em; margin: 3em auto; padding: 0 1em } pre { background: #8882; padding: 1em; overflow-x: auto } :root { color-scheme: light dark }</style>
</head>
<body>
<h1>A GraphQL endpoint</h1>
<p>Send operations to <code class="endpoint">this address</code>, with POST and JSON:</p>
<pre id="curl">curl -H 'content-type: application/json' --data '{"query":"{ __typename }"}' <span class="endpoint">…</span></pre>
<p>In development, introspection is on by default, so that tools can explore the schema.</p>
<ul>
<li><a href="https://www.npmjs.com/package/graphql-functions">graphql-functions</a>, the server of this endpoint</li>
<li><a href="https://graphql.org/learn/">an introduction to GraphQL</a></li>
<li><a href="https://graphql.github.io/graphql-over-http/">the GraphQL over HTTP specification</a></li>
</ul>
<script nonce="${nonce}">${fillIn}</script>
</body>
</html>
`;
}

/** Runs in the browser. Quotes the URL for a shell, because it may contain a single quote. */
const fillIn = `
const endpoint = location.origin + location.pathname;
for (const place of document.querySelectorAll('.endpoint')) {
  place.textContent = place.closest('pre') === null ? endpoint : "'" + endpoint.replaceAll("'", '%27') + "'";
}
`;
