import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { functionURLEvent, netlifyEvent } from '../../events.ts';
import { post } from '../../plain-http.ts';
import { deploy, resultOf } from '../lambda-function.ts';
import type { LambdaFunction, Outcome } from '../lambda-function.ts';
import { pathInPart } from '../parts.ts';
import type { Reader } from './reader.ts';

interface Bundler {
  zipFunctions(source: string, destination: string, options: object): Promise<unknown>;
}

/** Packs the folder built/ of a project with Netlify's bundler, and sends requests to it in AWS's runtime client. Resolves to the bodies of the answers. */
export async function askNetlify({ folder, context }: Reader, requests: readonly object[]): Promise<string[]> {
  const archives = await mkdtemp(join(tmpdir(), 'archives-'));
  context.after(() => rm(archives, { recursive: true }));
  const { zipFunctions } = (await import(pathInPart('netlify-cli', '@netlify/zip-it-and-ship-it/dist/main.js'))) as Bundler;
  await zipFunctions(join(folder, 'built'), archives, { archiveFormat: 'none', basePath: folder });
  const deployed = await deploy(context, { taskRoot: join(archives, 'graphql'), handler: '___netlify-entry-point.handler' });
  return answersTo(deployed, requests, netlifyEvent);
}

/** Sends requests through a function URL to the bundle of `sam build` in AWS's runtime client. Resolves to the bodies of the answers. */
export async function askSAM({ folder, context }: Reader, requests: readonly object[]): Promise<string[]> {
  const taskRoot = join(folder, '.aws-sam/build/GraphQLFunction');
  return answersTo(await deploy(context, { taskRoot, handler: 'graphql.default' }), requests, functionURLEvent);
}

async function answersTo(deployed: LambdaFunction, requests: readonly object[], toEvent: typeof netlifyEvent): Promise<string[]> {
  const bodies: string[] = [];
  for (const request of requests) bodies.push(bodyOf(await deployed.invoke(toEvent(post(request)))));
  return bodies;
}

function bodyOf(outcome: Outcome): string {
  // Eight zero bytes separate the head of a stream from its body.
  if (outcome.kind === 'streamed') return outcome.body.toString().split('\0').at(-1)!;
  return (resultOf(outcome) as { body: string }).body;
}
