/**
 * The first hour of a stranger, as a transcript: an empty folder, the packed package, README.md and docs/getting-started.md to the
 * letter, and what they deploy answering in AWS's runtime client, as Netlify packs it and as SAM does; then each project of `init`,
 * used from `npm install` to its platform's runtime. Needs a build, and the parts of `node test/real/install.ts test:netlify` for
 * the Node that runs it: `node scripts/first-hour.ts`. With names of platforms, only their projects: `node scripts/first-hour.ts node`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { initPlatforms } from '../src/tools/cli/init/compose-project.ts';
import type { InitPlatform } from '../src/tools/cli/init/compose-project.ts';
import { askNetlify, askSAM } from '../test/real/reader/ask-deployed.ts';
import { followPages } from '../test/real/reader/follow-page.ts';
import { useProject } from '../test/real/reader/made-project.ts';

console.log(`Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n`);

const named = process.argv.slice(2);
if (named.length === 0) await followBoth();
for (const platform of named.length === 0 ? Object.keys(initPlatforms) : named) {
  console.log(`=== init --platform ${platform}, in an empty folder\n`);
  console.log((await useProject(platform as InitPlatform, '--codegen --tests')).transcript);
}

async function followBoth(): Promise<void> {
  await follow('README.md', '## Data sources', '{ hello(name: "Ada") }');
  await follow('docs/getting-started.md', '## Where a caller is', '{ book(id: "emma") { title year } }');
}

/** Follows a page, builds as its netlify.toml says, and asks what is deployed of it. */
async function follow(page: string, until: string, query: string): Promise<void> {
  console.log(`=== ${page}, up to "${until}", in an empty folder\n`);
  const followed = await followPages({ page, until });
  try {
    const [, command = ''] = /^command = "(.+)"$/m.exec(await readFile(join(followed.folder, 'netlify.toml'), 'utf8')) ?? [];
    await followed.run(`PATH="$PWD/node_modules/.bin:$PATH"; ${command}`);
    console.log(followed.transcript);
    console.log(`(Netlify's own bundler over built/, in AWS's runtime client:)\n${await askNetlify(followed.folder, query)}\n`);
    if (followed.transcript.includes('$ sam build'))
      console.log(`(SAM's build behind a function URL, in AWS's runtime client:)\n${await askSAM(followed.folder, query)}\n`);
  } finally {
    await followed.remove();
  }
}
