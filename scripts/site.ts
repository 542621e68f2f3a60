/**
 * Adds two things to the documentation site that VitePress has built in docs/.vitepress/dist: the playground, whose schema runs in the
 * page, and llms.txt. `npm run site` runs both.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const site = join(root, 'docs/.vitepress/dist');
const built = join(root, 'dist/playground');

await Promise.all([writePlayground(join(site, 'playground')), writeFile(join(site, 'llms.txt'), await describePages())]);

async function writePlayground(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of ['main.js', 'style.css', 'worker.js'])
    await writeFile(join(folder, name), gunzipSync(await readFile(join(built, `${name}.gz`))));
  await build({
    entryPoints: [join(root, 'playground/site-server.ts')],
    outfile: join(folder, 'server.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'warning',
  });
  await writeFile(join(folder, 'index.html'), page());
}

/** Modules run in the order of the page, so that the server answers before the playground sends its first request. */
function page(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Playground | graphql-functions</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="./style.css">
<style>html, body { height: 100%; margin: 0; display: flex; flex-direction: column } nav { font: 14px system-ui, sans-serif; padding: 8px 16px } :root { color-scheme: light dark } #playground { flex: 1; min-height: 0 }</style>
</head>
<body>
<nav><a href="../">graphql-functions</a>: this server runs in your browser.</nav>
<div id="playground"><p>Loading the playground …</p></div>
<script type="module" src="./server.js"></script>
<script type="module">
window.playgroundWorker = new URL('./worker.js', location.href).href;
document.body.append(Object.assign(document.createElement('script'), { src: './main.js' }));
</script>
</body>
</html>
`;
}

/** https://llmstxt.org: the index of docs/README.md, with links to the pages of the site. */
async function describePages(): Promise<string> {
  const { description } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly description: string };
  const index = await readFile(join(root, 'docs/README.md'), 'utf8');
  const groups = index
    .split('\n')
    // The groups: a line that ends with a colon, an empty line, the list.
    .filter((line, at, lines) => line.startsWith('- [') || (/^[^-!].*:$/.test(line) && lines[at + 2]?.startsWith('- [') === true))
    .map((line) => (line.startsWith('- ') ? line.replace(/\(([\w-]+)\.md\)/, '(/$1)') : `\n## ${line.slice(0, -1)}\n`));
  return `# graphql-functions\n\n> ${description}\n${groups.join('\n')}\n`;
}
