import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { functionURLEvent, netlifyEvent } from '../../events.ts';
import { post } from '../../plain-http.ts';
import { deploy } from '../lambda-function.ts';
import type { Deployment, LambdaFunction } from '../lambda-function.ts';
import { pathInPart } from '../parts.ts';

interface Bundler {
  zipFunctions(source: string, destination: string, options: object): Promise<unknown>;
}

/** Packs the folder built/ of a project with Netlify's bundler, and sends requests to it in AWS's runtime client. Resolves to the bodies of the answers. */
export async function askNetlify(project: string, requests: readonly object[]): Promise<string[]> {
  const archives = await mkdtemp(join(tmpdir(), 'archives-'));
  try {
    const { zipFunctions } = (await import(pathInPart('netlify-cli', '@netlify/zip-it-and-ship-it/dist/main.js'))) as Bundler;
    await zipFunctions(join(project, 'built'), archives, { archiveFormat: 'none', basePath: project });
    const deployment = { taskRoot: join(archives, 'graphql'), handler: '___netlify-entry-point.handler' };
    return await ask(
      deployment,
      requests.map((body) => netlifyEvent(post(body))),
    );
  } finally {
    await rm(archives, { recursive: true });
  }
}

/** Sends requests through a function URL to the bundle of `sam build` in AWS's runtime client. Resolves to the bodies of the answers. */
export async function askSAM(project: string, requests: readonly object[]): Promise<string[]> {
  const deployment = { taskRoot: join(project, '.aws-sam/build/GraphQLFunction'), handler: 'graphql.default' };
  return ask(
    deployment,
    requests.map((body) => functionURLEvent(post(body))),
  );
}

async function ask(deployment: Deployment, events: readonly object[]): Promise<string[]> {
  const deployed = await deploy(deployment);
  const bodies: string[] = [];
  try {
    for (const event of events) bodies.push(bodyOf(await deployed.invoke(event), deployed));
    return bodies;
  } finally {
    await deployed.end();
  }
}

function bodyOf(outcome: Awaited<ReturnType<LambdaFunction['invoke']>>, { log }: Pick<LambdaFunction, 'log'>): string {
  // Eight zero bytes separate the head of a stream from its body.
  if (outcome.kind === 'streamed') return outcome.body.toString().split('\0').at(-1)!;
  if (outcome.kind === 'result') return (outcome.value as { body: string }).body;
  throw new Error(`Expected an answer, got ${JSON.stringify(outcome)}\n${log()}`);
}
