/**
 * The first hour of a stranger, as a transcript: an empty folder, the packed package, README.md and docs/getting-started.md to the
 * letter, and what they deploy answering in AWS's runtime client, as Netlify packs it and as SAM does. Needs a build, and the parts
 * of `node test/real/install.ts test:netlify` for the Node that runs it: `node scripts/first-hour.ts`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { functionURLEvent, netlifyEvent } from '../test/support/events.ts';
import { post } from '../test/support/plain-http.ts';
import { deploy } from '../test/real/lambda-function.ts';
import type { Deployment } from '../test/real/lambda-function.ts';
import { pathInPart } from '../test/real/parts.ts';
import { followPages } from '../test/real/reader/follow-page.ts';

console.log(`Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n`);

await follow('README.md', '## Data sources', '{ hello(name: "Ada") }');
await follow('docs/getting-started.md', '## Where a caller is', '{ book(id: "emma") { title year } }');

/** Follows a page, builds as its netlify.toml says, and asks what is deployed of it. */
async function follow(page: string, until: string, query: string): Promise<void> {
  console.log(`=== ${page}, up to "${until}", in an empty folder\n`);
  const followed = await followPages({ page, until });
  try {
    const [, command = ''] = /^command = "(.+)"$/m.exec(await readFile(join(followed.folder, 'netlify.toml'), 'utf8')) ?? [];
    await followed.run(`PATH="$PWD/node_modules/.bin:$PATH"; ${command}`);
    console.log(followed.transcript);
    const taskRoot = await packAsNetlify(followed.folder);
    await ask(`Netlify's own bundler, over built/`, { taskRoot, handler: '___netlify-entry-point.handler' }, netlifyEvent(post({ query })));
    await rm(taskRoot, { recursive: true });
    const sam = join(followed.folder, '.aws-sam/build/GraphQLFunction');
    if (followed.transcript.includes('$ sam build'))
      await ask('SAM, behind a function URL', { taskRoot: sam, handler: 'graphql.default' }, functionURLEvent(post({ query })));
  } finally {
    await followed.remove();
  }
}

interface Bundler {
  zipFunctions(source: string, destination: string, options: object): Promise<unknown>;
}

/** The content of the archive that Netlify uploads. */
async function packAsNetlify(project: string): Promise<string> {
  const archives = await mkdtemp(join(tmpdir(), 'archives-'));
  const { zipFunctions } = (await import(pathInPart('netlify-cli', '@netlify/zip-it-and-ship-it/dist/main.js'))) as Bundler;
  await zipFunctions(join(project, 'built'), archives, { archiveFormat: 'none', basePath: project });
  return join(archives, 'graphql');
}

async function ask(what: string, deployment: Deployment, event: object): Promise<void> {
  const deployed = await deploy(deployment);
  try {
    const outcome = await deployed.invoke(event);
    console.log(`(${what}, in AWS's runtime client:)\n${answerIn(outcome)}\n`);
  } finally {
    await deployed.end();
  }
}

function answerIn(outcome: Awaited<ReturnType<Awaited<ReturnType<typeof deploy>>['invoke']>>): string {
  if (outcome.kind === 'streamed') return outcome.body.toString().replaceAll('\0', '').trim();
  if (outcome.kind === 'result') return JSON.stringify(outcome.value, undefined, 2);
  process.exitCode = 1;
  return JSON.stringify(outcome);
}
