import assert from 'node:assert/strict';

import { GraphQLError, GraphQLScalarType } from 'graphql';

import { createHandler } from '../../src/entries/fetch.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { createEventSource } from './event-source.ts';
import { webRequest } from './events.ts';
import { get, post } from './plain-http.ts';
import { recordingLogger } from './recording-logger.ts';
import { resultsOf } from './sse.ts';

const typeDefs = `
  type Query { hello: String }
  type Subscription { ticks: Int! book(id: ID!): Book slow: Int odd: Odd refused: Int broken: Int nothing: Int plain: Int }
  type Book { title: String! author: String fail: String shout(times: Int = 1): String! }
  scalar Odd
`;

export const ticking = 'subscription { ticks }';

let served = 0;

export function fail(): never {
  throw new Error('hunter2');
}

/** A server in which every subscription gets the events that the test pushes. */
export function serve(options: Partial<ServerOptions<any, any>> = {}) {
  const source = createEventSource<any>();
  const [logger, lines] = recordingLogger();
  const subscribe = (): AsyncIterable<unknown> => source;
  const handler = createHandler<any, any>({
    nodeEnv: '',
    logger,
    typeDefs: `${typeDefs} # ${++served}`,
    resolvers: {
      Query: { hello: () => 'world' },
      Subscription: {
        ticks: { subscribe },
        book: { subscribe: async () => source, resolve: (event: { book: unknown }) => event.book },
        slow: { subscribe, resolve: ({ slow }: { slow: () => Promise<number> }) => slow() },
        odd: { subscribe },
        refused: { subscribe: () => Promise.reject(new GraphQLError('Sign in first.', { extensions: { code: 'UNAUTHENTICATED' } })) },
        broken: { subscribe: fail },
        nothing: { subscribe: () => 5 as never },
      },
      Book: { fail },
      Odd: new GraphQLScalarType({ name: 'Odd', serialize: (value) => value }),
    },
    ...options,
  });
  type Fields = { accept?: string; method?: string; signal?: AbortSignal };
  const send = async (body: unknown, { accept = 'text/event-stream', method = 'POST', signal }: Fields = {}): Promise<Response> => {
    const headers: [string, string][] = [['accept', accept]];
    const request =
      method === 'GET' ? get({ query: String(body) }, { headers }) : post(typeof body === 'string' ? { query: body } : body, { headers });
    return handler.fetch(webRequest(request, { signal: signal ?? null }));
  };
  /** The results that a client gets if the source has these events, and then ends. */
  const play = async (events: readonly object[], query = ticking): Promise<any[]> => {
    source.push(...events);
    source.complete();
    return resultsOf(await (await send(query)).text());
  };
  return { source, lines, send, play };
}

/** The codes of the errors of the only result of an event stream. */
export async function codesOf(response: Response): Promise<unknown[]> {
  const text = await response.text();
  assert.doesNotMatch(text, /hunter2/);
  return (resultsOf(text) as any[]).flatMap(({ errors }) => errors.map(({ extensions }: GraphQLError) => extensions['code']));
}
