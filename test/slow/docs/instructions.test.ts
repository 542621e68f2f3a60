import assert from 'node:assert/strict';
import { isBuiltin } from 'node:module';
import { test } from 'node:test';

import { codeBlocks } from '../../support/markdown.ts';
import { readPages } from '../../support/pages.ts';

/** The packages that README.md and the getting-started page install first, and a module of the platform. */
const there = new Set(['graphql-functions', 'graphql', 'esbuild', 'cloudflare:workers']);

/** Pages that show code of existing projects. */
const ofOtherProjects = new Set(['docs/migration.md']);

test('a page says how to install each package that its code imports, above that code', async () => {
  const missing: string[] = [];
  for (const [path, page] of Object.entries(await readPages())) {
    if (ofOtherProjects.has(path)) continue;
    for (const { language, text, line } of codeBlocks(page).filter((block) => block.language === 'ts' || block.language === 'js')) {
      const installed = packagesInstalledIn(page.split('\n').slice(0, line).join('\n'));
      for (const name of packagesImportedBy(text)) if (!installed.has(name)) missing.push(`${path}:${line} (${language}): ${name}`);
    }
  }

  assert.deepEqual(missing, []);
});

test('the text above a block names the file of the block', async () => {
  const unnamed: string[] = [];
  for (const [path, page] of Object.entries(await readPages()))
    for (const { notes, line } of codeBlocks(page)) {
      const lines = page.split('\n').slice(0, line - 1);
      const above = lines.slice(0, lines.findLastIndex((text) => !/^(?:$|<!--|```)/.test(text)) + 1);
      const paragraph = above.slice(above.lastIndexOf('') + 1).join(' ');
      if (notes['file'] !== undefined && !paragraph.includes(`\`${notes['file']}\``)) unnamed.push(`${path}:${line}: ${notes['file']}`);
    }

  assert.deepEqual(unnamed, []);
});

function packagesImportedBy(code: string): string[] {
  const specifiers = [...code.matchAll(/^import .*?from '([^'.][^']*)';$/gms)].map(([, specifier = '']) => specifier);
  return [...new Set(specifiers.map(packageOf))].filter((name) => !isBuiltin(name) && !there.has(name));
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The packages that the text installs. An @types package counts as the package that it describes. */
function packagesInstalledIn(text: string): Set<string> {
  const commands = [...text.matchAll(/npm i(?:nstall)? ([^`\n]+)/g)].map(([, packages = '']) => packages.split(' '));
  return new Set(commands.flat().map((name) => name.replace(/(?<=.)@[\d.]+$/, '').replace(/^@types\//, '')));
}
