import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { functionURLEvent, netlifyEvent } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { deploy } from '../lambda-function.ts';
import type { Deployment } from '../lambda-function.ts';
import { pathInPart } from '../parts.ts';

interface Bundler {
  zipFunctions(source: string, destination: string, options: object): Promise<unknown>;
}

/** Packs the folder built/ of a project with Netlify's bundler, and sends an operation to it in AWS's runtime client. Resolves to the answer's body. */
export async function askNetlify(project: string, query: string): Promise<string> {
  const archives = await mkdtemp(join(tmpdir(), 'archives-'));
  try {
    const { zipFunctions } = (await import(pathInPart('netlify-cli', '@netlify/zip-it-and-ship-it/dist/main.js'))) as Bundler;
    await zipFunctions(join(project, 'built'), archives, { archiveFormat: 'none', basePath: project });
    const deployment = { taskRoot: join(archives, 'graphql'), handler: '___netlify-entry-point.handler' };
    return await ask(deployment, netlifyEvent(post({ query })));
  } finally {
    await rm(archives, { recursive: true });
  }
}

/** Sends an operation through a function URL to the bundle of `sam build` in AWS's runtime client. Resolves to the answer's body. */
export async function askSAM(project: string, query: string): Promise<string> {
  const deployment = { taskRoot: join(project, '.aws-sam/build/GraphQLFunction'), handler: 'graphql.default' };
  return ask(deployment, functionURLEvent(post({ query })));
}

async function ask(deployment: Deployment, event: object): Promise<string> {
  const deployed = await deploy(deployment);
  try {
    const outcome = await deployed.invoke(event);
    // Eight zero bytes separate the head of a stream from its body.
    if (outcome.kind === 'streamed') return outcome.body.toString().split('\0').at(-1)!;
    if (outcome.kind === 'result') return (outcome.value as { body: string }).body;
    throw new Error(`Expected an answer, got ${JSON.stringify(outcome)}\n${deployed.log()}`);
  } finally {
    await deployed.end();
  }
}
