import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { lineOf } from './rewrite.ts';
import { excludesMajor } from './versions.ts';

const oldMajor = String.raw`v?(?:\d|1\d|2[01])`;

/** Files that set a function's Node version or JavaScript's, and patterns for versions that are too old for this package. */
const places: readonly { readonly files: readonly string[]; readonly version: RegExp; readonly advice: string }[] = [
  {
    files: ['serverless.yml', 'serverless.yaml', 'serverless.json', 'serverless.ts', 'template.yaml', 'template.yml', 'samconfig.toml'],
    version: /\bnodejs(?:\d|1\d|2[01])(?:\.x|\b)/g,
    advice: 'is too old: this package requires Node.js 22.19 or newer. Use nodejs24.x.',
  },
  {
    files: ['netlify.toml'],
    version: new RegExp(String.raw`\bNODE_VERSION\s*=\s*"${oldMajor}(?:\.[\d.]*)?"`, 'g'),
    advice: 'is too old: this package requires Node.js 22.19 or newer. Use NODE_VERSION = "24".',
  },
  {
    files: ['.nvmrc', '.node-version'],
    version: new RegExp(String.raw`^${oldMajor}(?:\.[\d.]*)?\s*$`, 'gm'),
    advice: 'is too old: this package requires Node.js 22.19 or newer. Use 24.',
  },
  {
    files: ['package.json'],
    version: new RegExp(String.raw`\bnode(?:js|@)?${oldMajor}(?:\.x|\b)|\b(?:nvm|fnm|n) use ${oldMajor}\b`, 'g'),
    advice: 'is too old: this package requires Node.js 22.19 or newer. Use 24.',
  },
  {
    files: ['package.json'],
    version: /\btypescript@(?:[1-3]|4\.[0-6])\b/g,
    advice: 'cannot read the types of this package. Use typescript@^5.4.0 or newer.',
  },
  {
    files: ['tsconfig.json'],
    version: /"target"\s*:\s*"es[35]"/gi,
    advice: 'is too old: a class that TypeScript compiles to ES5 cannot extend those of this package. Use "es2022".',
  },
];

/** Lists the places of a folder that set an old version, with file, line and replacement. */
export async function findOldRuntimes(folder: string, directory: string): Promise<string[]> {
  const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8').catch(() => '');
  const name = (file: string): string => relative(directory, join(folder, file));
  const lines = places.flatMap(({ files, version, advice }) =>
    files.map(async (file) => {
      const text = await read(file);
      return [...text.matchAll(version)].map(({ 0: found, index }) => `  ${name(file)}:${lineOf(text, index)}  ${found.trim()} ${advice}`);
    }),
  );
  return [...(await Promise.all(lines)).flat(), ...findEngines(await read('package.json'), name('package.json'))];
}

/** `engines` of a package.json that allow no Node version on which this package runs. */
function findEngines(text: string, file: string): string[] {
  const [, range] = /"engines"\s*:\s*\{[^}]*"node"\s*:\s*"([^"]*)"/.exec(text) ?? [];
  if (range === undefined || [22, 24, 26].some((major) => !excludesMajor(range, major))) return [];
  const line = lineOf(text, text.indexOf('"engines"'));
  return [
    `  ${file}:${line}  "node": "${range}" in engines excludes the versions of Node.js that this package supports. Use "^22.19 || ^24 || >=26".`,
  ];
}
