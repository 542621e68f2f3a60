/**
 * Prints a transcript of a new user's first hour. Installs the packed package in an empty folder, follows README.md and
 * docs/getting-started.md to the letter, and calls the deployed function through AWS's runtime client, as Netlify packs it. Then makes a
 * project of each template of `init`, from `npm install` to an answer in its platform's runtime.
 *
 *     node scripts/first-hour.ts                  needs a build, and the parts of `node test/real/install.ts test:netlify`
 *     node scripts/first-hour.ts README.md node   some pages and platforms
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { initPlatforms } from '../src/tools/cli/init/compose-project.ts';
import type { InitPlatform } from '../src/tools/cli/init/compose-project.ts';
import { askNetlify } from '../test/real/reader/ask-deployed.ts';
import { followPages } from '../test/real/reader/follow-page.ts';
import type { FollowedPage } from '../test/real/reader/follow-page.ts';
import { useProject } from '../test/real/reader/made-project.ts';

console.log(`Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n`);

const pages: Readonly<Record<string, () => Promise<void>>> = {
  'README.md': () => follow('README.md', '## What it replaces'),
  'docs/getting-started.md': () => follow('docs/getting-started.md', '## Where a caller is', '{ book(id: "emma") { title year } }'),
};

const named = process.argv.slice(2);
for (const name of named.length === 0 ? [...Object.keys(pages), ...Object.keys(initPlatforms)] : named)
  await (pages[name] ?? (() => use(name as InitPlatform)))();

async function use(platform: InitPlatform): Promise<void> {
  console.log(`=== init --platform ${platform}, in an empty folder\n`);
  console.log((await useProject(platform, '--codegen --tests')).transcript);
}

/** Follows a page. With a query, also builds the function by its netlify.toml, and sends the query to it. */
async function follow(page: string, until: string, query?: string): Promise<void> {
  console.log(`=== ${page}, up to "${until}", in an empty folder\n`);
  const followed = await followPages({ page, until });
  try {
    if (query !== undefined) await build(followed);
    console.log(followed.transcript);
    if (query === undefined) return;
    const [answer] = await askNetlify(followed.folder, [{ query }]);
    console.log(`(Netlify's own bundler over built/, in AWS's runtime client:)\n${answer}\n`);
  } finally {
    await followed.remove();
  }
}

async function build({ folder, run }: FollowedPage): Promise<void> {
  const [, command = ''] = /^command = '''(.+)'''$/m.exec(await readFile(join(folder, 'netlify.toml'), 'utf8')) ?? [];
  await run(`PATH="$PWD/node_modules/.bin:$PATH"; ${command}`);
}
