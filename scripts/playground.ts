/**
 * Bundles the playground (playground/) into compressed files, which the landing page contains.
 *
 * GraphiQL and its dependencies are 209 MB in node_modules. The bundle has 1.8 MB, and users install nothing else.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');
const sources = join(root, 'playground');

/** Writes `playground/` with its licenses into a folder. Takes four seconds, or copies the last result if nothing has changed. */
export async function buildPlayground(folder: string): Promise<void> {
  const cache = join(root, 'node_modules/.cache/graphql-functions', await fingerprint());
  if (!existsSync(cache)) {
    const fresh = `${cache}-${process.pid}`;
    await mkdir(join(fresh, 'playground'), { recursive: true });
    await bundlePlayground(fresh);
    // Another build may have made it meanwhile.
    await rename(fresh, cache).catch(() => {});
  }
  await cp(cache, folder, { recursive: true });
}

/** A hash of everything in the bundle: our files, and the versions of the dependencies. */
async function fingerprint(): Promise<string> {
  const names = (await readdir(sources)).toSorted().map((name) => join(sources, name));
  const hash = createHash('sha256');
  for (const file of [import.meta.filename, join(root, 'package-lock.json'), ...names]) hash.update(await readFile(file));
  return `playground-${hash.digest('hex').slice(0, 16)}`;
}

async function bundlePlayground(folder: string): Promise<void> {
  const [page, worker] = await Promise.all([bundle('main.ts'), bundle('worker.ts')]);
  const files = { 'main.js': page.script, 'style.css': withFewFonts(page.style), 'worker.js': worker.script };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'playground', `${name}.gz`), gzipSync(text, { level: 9 }));
  await writeFile(join(folder, 'playground-licenses.txt'), await licensesOf([page.metafile, worker.metafile]));
}

async function bundle(entry: string): Promise<{ script: string; style: string; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({ ...options, entryPoints: [join(sources, entry)] });
  const textOf = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css'), metafile };
}

/** GraphiQL's style sheet includes that of the editor, whose modules import it again. */
const stylesOnce: Plugin = {
  name: 'styles-once',
  setup: ({ onLoad }) => onLoad({ filter: /[\\/]monaco-editor[\\/].*\.css$/ }, () => ({ contents: '', loader: 'css' })),
};

const options = {
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  outdir: 'out',
  write: false,
  metafile: true,
  logLevel: 'warning',
  legalComments: 'none',
  loader: { '.ttf': 'dataurl', '.woff2': 'dataurl' },
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [stylesOnce],
  // The paths of this project's tsconfig.json lead to src/.
  tsconfigRaw: {},
} satisfies BuildOptions;

/** Three of the 34 text fonts, which English needs, and the icons. All fonts are 360 KB, which do not compress. Other languages use system fonts. */
function withFewFonts(style: string): string {
  return style.replaceAll(/@font-face\{[^}]*\}/g, (face) => {
    const isNeeded = face.includes('codicon') || (face.includes('U+0000-00FF') && !face.includes('italic'));
    return isNeeded ? face : '';
  });
}

/** The license of each package in the bundles, once. */
async function licensesOf(metafiles: readonly Metafile[]): Promise<string> {
  const inputs = metafiles.flatMap(({ inputs: files }) => Object.keys(files));
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const texts = await Promise.all([...folders].toSorted().map(licenseOf));
  return `The folder playground contains code of these packages.\n${fonts}\n\n${texts.join('\n\n')}`;
}

/** These are in style sheets, and are not separate packages. */
const fonts =
  'Its fonts: Roboto (Google, Apache License 2.0), Fira Code (The Fira Code Project Authors, SIL Open Font License 1.1), ' +
  'Codicon (Microsoft, CC BY 4.0).';

async function licenseOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as Record<string, string>;
  const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : await readFile(join(root, folder, file), 'utf8');
  return `--- ${name} ${version} (${license})\n\n${text.trim()}`;
}

// As a command: node scripts/playground.ts <folder>
if (process.argv[1] === import.meta.filename) await buildPlayground(process.argv[2] ?? join(root, 'dist'));
