import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { lineOf } from './rewrite.ts';

/** Files that set a function's Node version, and patterns for versions that are too old for this package. */
const places: readonly { readonly files: readonly string[]; readonly version: RegExp; readonly example: string }[] = [
  {
    files: ['serverless.yml', 'serverless.yaml', 'serverless.json', 'serverless.ts', 'template.yaml', 'template.yml', 'samconfig.toml'],
    version: /\bnodejs(?:\d|1\d|2[01])(?:\.x|\b)/g,
    example: 'nodejs24.x',
  },
  { files: ['netlify.toml'], version: /\bNODE_VERSION\s*=\s*"v?(?:\d|1\d|2[01])(?:\.[\d.]*)?"/g, example: 'NODE_VERSION = "24"' },
  { files: ['.nvmrc', '.node-version'], version: /^v?(?:\d|1\d|2[01])(?:\.[\d.]*)?\s*$/gm, example: '24' },
];

/** Lists the places of a project that set an old Node version, with file, line and replacement. */
export async function findOldRuntimes(directory: string): Promise<string[]> {
  const lines = places.flatMap(({ files, version, example }) =>
    files.map(async (file) => {
      const text = await readFile(join(directory, file), 'utf8').catch(() => '');
      return [...text.matchAll(version)].map(
        ({ 0: found, index }) =>
          `  ${file}:${lineOf(text, index)}  ${found.trim()} is too old: this package requires Node.js 22.19 or newer. Use ${example}.`,
      );
    }),
  );
  return (await Promise.all(lines)).flat();
}
