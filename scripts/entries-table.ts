/**
 * Writes the table "What you carry" of docs/entries.md: what a bundle contains of each entry of the package, `npm run docs`.
 * test/docs/entries.test.ts fails when the table is far from what is measured.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
export const page = join(root, 'docs/entries.md');

/** Entries that a minor version may change. All others are stable: they follow semantic versioning. */
const experimental = new Set(['incremental', 'mcp']);
/** Not for handlers: tools for development, tests, and pages in a browser. */
const forDevelopment = new Set(['testing', 'playground', 'landing-page']);

/** What a bundle with everything from one entry contains, without graphql. */
export interface CarriedCode {
  readonly entry: string;
  /** Lines of TypeScript in the sources, with comments. */
  readonly lines: number;
  readonly gzipKB: number;
  readonly dependencies: readonly string[];
  readonly stability: string;
}

export async function measureEntries(): Promise<CarriedCode[]> {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { exports: Readonly<Record<string, unknown>> };
  const entries = Object.keys(exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => entry.replace(/^\.\/?/, ''));
  return Promise.all(entries.map(measureEntry));
}

async function measureEntry(entry: string): Promise<CarriedCode> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export * from './src/entries/${entry === '' ? 'index' : entry}.ts';`, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: ['graphql', 'node:*'],
    packages: 'external',
    metafile: true,
    write: false,
  });
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  if (file === undefined || output === undefined) throw new Error(`esbuild made nothing of the entry "${entry}".`);
  const sources = Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 && path !== '<stdin>' ? [path] : [],
  );
  const lines = await Promise.all(sources.map(async (path) => (await readFile(join(root, path), 'utf8')).split('\n').length - 1));
  return {
    entry: entry === '' ? 'graphql-functions' : `graphql-functions/${entry}`,
    lines: lines.reduce((sum, one) => sum + one, 0),
    gzipKB: gzipSync(file.contents, { level: 9 }).length / 1000,
    dependencies: [...new Set(output.imports.map(({ path }) => path))].filter((path) => path !== 'graphql' && !path.startsWith('node:')),
    stability: experimental.has(entry) ? 'experimental' : forDevelopment.has(entry) ? 'stable, for development' : 'stable',
  };
}

export function toCells({ entry, lines, gzipKB, dependencies, stability }: CarriedCode): string[] {
  return [
    `\`${entry}\``,
    (Math.round(lines / 100) * 100).toLocaleString('en-US'),
    gzipKB < 10 ? gzipKB.toFixed(1) : String(Math.round(gzipKB)),
    dependencies.map((name) => `\`${name}\``).join(', ') || 'none',
    stability,
  ];
}

if (import.meta.main) {
  const rows = [
    ['Entry', 'Lines of source', 'KB, minified and gzip', 'Packages besides graphql', 'Stability'],
    ['---', '---', '---', '---', '---'],
    ...(await measureEntries()).map(toCells),
  ];
  const table = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const text = await readFile(page, 'utf8');
  await writeFile(page, text.replace(/<!-- carried -->[^]*?<!-- \/carried -->/, `<!-- carried -->\n\n${table}\n\n<!-- /carried -->`));
}
