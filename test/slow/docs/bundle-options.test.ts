import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { functionBundle } from '../../support/function-bundle.ts';
import { readPages } from '../../support/pages.ts';

const root = join(import.meta.dirname, '../../..');
const { banner, format, platform, target } = functionBundle;
const flags = ['--bundle', `--platform=${platform}`, `--format=${format}`, `--target=${target}`, `--banner:js="${banner.js}"`];

/** The pages, the templates of `init` and the configuration of the example, by path. */
async function readAll(): Promise<Readonly<Record<string, string>>> {
  const templates = 'src/tools/cli/init/templates';
  const names = await readdir(join(root, templates), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const paths = [...files, ...['netlify.toml', 'template.yaml'].map((name) => join(root, name))];
  const texts = paths.map(async (path) => [path.slice(root.length + 1), await readFile(path, 'utf8')] as const);
  return { ...(await readPages()), ...Object.fromEntries(await Promise.all(texts)) };
}

test('every command with which a page, a template or the example bundles has the usual options', async () => {
  const commands: string[] = [];
  for (const [path, text] of Object.entries(await readAll()))
    for (const [command] of text.matchAll(/\besbuild [^ ]+\.ts .*--bundle.*/g)) {
      // Packages that are not bundled find `require` in their own modules.
      if (command.includes('--packages=external')) continue;
      commands.push(path);
      const plain = path.endsWith('.json') ? command.replaceAll('\\"', '"') : command;
      for (const flag of flags) assert.ok(plain.includes(flag), `${path}: ${flag} is missing in ${command}`);
    }

  assert.ok(commands.length >= 7, commands.join());
});

test('every SAM template has the usual options', async () => {
  const templates: string[] = [];
  for (const [path, text] of Object.entries(await readAll()))
    for (const [block] of text.replaceAll(/^ {2}# ?/gm, '').matchAll(/BuildMethod: esbuild\n(?:.*\n)*?.*Sourcemap: true/g)) {
      templates.push(path);
      for (const line of [`Format: ${format}\n`, `Target: ${target}\n`, `Banner:\n`, `- js=${banner.js}\n`])
        assert.ok(block.includes(line), `${path}: ${line} is missing in ${block}`);
    }

  assert.equal(templates.length, 6, templates.join());
});

test('the settings of other tools have the usual banner and target', async () => {
  const pages = Object.values(await readPages());
  const sections = pages.flatMap((page) => page.split(/\n##+ /));
  const tools = sections.filter((section) => /^(?:AWS CDK|Serverless Framework|In a container)\n/.test(section));

  for (const section of tools) assert.ok(section.includes(banner.js) && section.includes(target), section);
  assert.equal(tools.length, 3);
});
