import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that say which Node a function runs on, and how they name one that is too old for this package. */
const places: readonly { readonly files: readonly string[]; readonly version: RegExp; readonly example: string }[] = [
  {
    files: ['serverless.yml', 'serverless.yaml', 'serverless.json', 'serverless.ts', 'template.yaml', 'template.yml', 'samconfig.toml'],
    version: /\bnodejs(?:\d|1\d|2[01])(?:\.x|\b)/g,
    example: 'nodejs24.x',
  },
  { files: ['netlify.toml'], version: /\bNODE_VERSION\s*=\s*"v?(?:\d|1\d|2[01])(?:\.[\d.]*)?"/g, example: 'NODE_VERSION = "24"' },
  { files: ['.nvmrc', '.node-version'], version: /^v?(?:\d|1\d|2[01])(?:\.[\d.]*)?\s*$/gm, example: '24' },
];

/** A line for each place of a project that names such a Node, with the file, the line, and what to write instead. */
export async function oldRuntimesIn(directory: string): Promise<string[]> {
  const lines = places.flatMap(({ files, version, example }) =>
    files.map(async (file) => {
      const text = await readFile(join(directory, file), 'utf8').catch(() => '');
      return [...text.matchAll(version)].map(({ 0: found, index }) => {
        const line = text.slice(0, index).split('\n').length;
        return `  ${file}:${line}  ${found.trim()} is too old: this package needs Node 22.19 or newer. Write ${example}.`;
      });
    }),
  );
  return (await Promise.all(lines)).flat();
}
