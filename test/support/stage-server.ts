/** A server for tests of stages. */

import type { TestContext } from 'node:test';

import { createHandler } from '../../src/entries/index.ts';
import type { ServerOptions, ServerPlugin } from '../../src/entries/index.ts';
import { stopTheClock } from './clock.ts';
import { post } from './plain-http.ts';
import type { PlainRequest, PlainResponse } from './plain-http.ts';
import { recordingLogger } from './recording-logger.ts';
import { httpAPI } from './sources.ts';

/** Options of a server with any context. */
export type Options = ServerOptions<any, any, any, any>;

export const echoTypeDefs = 'type Query { echo(text: String = "x"): String fail: String } type Mutation { first: String second: String }';

/** Options of a server that echoes texts, in production. */
export function echoOptions(options: Partial<Options>): Options {
  const fail = (): Promise<never> => Promise.reject(new Error('the password is hunter2'));
  const resolvers = { Query: { echo: (_: unknown, { text }: { text: string }) => text, fail } };
  return {
    nodeEnv: 'production',
    csrfPrevention: true,
    typeDefs: echoTypeDefs,
    resolvers,
    logger: recordingLogger()[0],
    ...options,
  } as Options;
}

/** A server with these options, behind an HTTP API. */
export function serveEcho(options: Partial<Options>): (request: PlainRequest) => Promise<PlainResponse> {
  const handler = createHandler(echoOptions(options));
  return async (request) => httpAPI.read(await handler(httpAPI.build(request)));
}

/** Hooks that record their names. */
export const noting = (notes: unknown[], ...hooks: string[]): ServerPlugin => ({
  requestDidStart: () => Object.fromEntries(hooks.map((hook) => [hook, () => void notes.push(hook)])),
});

/** The response to a request after the last moment of the mocked clock, and a few milliseconds. */
export async function respondAtDeadline(t: TestContext, plugins: ServerPlugin[], options: Partial<Options> = {}): Promise<PlainResponse> {
  const turn = stopTheClock(t);
  const send = serveEcho({ deadline: { ms: 1000 }, plugins, ...options });
  const answering = send(post({ query: '{ echo }' }, { headers: [['origin', 'https://app.example']] }));
  await turn(2000);
  for (let passed = 0; passed < 20; passed++) await turn(1);
  return answering;
}
