import { GraphQLError } from 'graphql';

import { createHandler } from '../../src/entries/fetch.ts';
import { idempotency, idempotencyDefinitions, memoryStore } from '../../src/entries/idempotency.ts';
import type { IdempotencyOptions, IdempotencyStore } from '../../src/entries/idempotency.ts';
import type { ServerOptions, ServerPlugin } from '../../src/entries/index.ts';
import { recordingLogger } from './recording-logger.ts';
import type { LogLine } from './recording-logger.ts';

type Options = ServerOptions<any, any, any, any>;

/** A handler whose mutations charge a client. */
export interface Bank {
  /** The clients that were charged. */
  readonly charges: string[];
  readonly log: readonly LogLine[];
  readonly send: (body: unknown, fields?: Fields) => Promise<Answer>;
  /** Sends with the header `Idempotency-Key: "key"`. */
  readonly sendWithKey: (body: unknown, fields?: Fields) => Promise<Answer>;
  /** Resolves when all work passed to `waitUntil` has ended. */
  readonly settled: () => Promise<void>;
}

export interface Fields {
  readonly client?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The code of the first error. */
  readonly code: string | undefined;
  /** What the client is told: the status, the code of the first error, whether it is a replay, and when to retry. */
  readonly told: string;
}

export const typeDefs = `
  type Query { charges: Int }
  type Mutation { charge(amount: Int = 1, fail: String): Receipt chargeTwice: Receipt }
  type Receipt { number: Int! client: String }`;
export const charge = { query: 'mutation { charge { number client } }' };

/** Creates a bank. `server.resolvers` replaces its resolvers. */
export function openBank({ server = {}, ...options }: Partial<IdempotencyOptions> & { readonly server?: Partial<Options> } = {}): Bank {
  const charges: string[] = [];
  const waiting: Promise<unknown>[] = [];
  const [logger, log] = recordingLogger();
  const pay = (_: unknown, { fail }: { fail?: string }, { client }: { client: string }): object => {
    charges.push(client);
    if (fail !== undefined) throw new Error(fail);
    return { number: charges.length, client };
  };
  const extension = idempotency({ store: memoryStore(), identity: ({ client }) => client, ...options });
  const { plugins = [], ...others } = server;
  const handler = createHandler({
    nodeEnv: 'test',
    maskErrors: true,
    csrfPrevention: true,
    logger,
    typeDefs: [idempotencyDefinitions, typeDefs],
    context: ({ request }: { request: { headers: { get: (name: string) => string | null } } }) => ({
      client: request.headers.get('x-client') ?? 'ada',
    }),
    resolvers: { Query: { charges: () => charges.length }, Mutation: { charge: pay, chargeTwice: pay } },
    ...others,
    plugins: [...plugins, extension],
  } as unknown as Options) as unknown as (request: Request, context: object) => Promise<Response>;
  const send: Bank['send'] = async (body, { client, headers, method = 'POST', signal } = {}) => {
    const request = new Request('https://bank.example/graphql', {
      method,
      headers: { 'content-type': 'application/json', ...(client !== undefined && { 'x-client': client }), ...headers },
      ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    return answerOf(await handler(request, { waitUntil: (work: Promise<unknown>) => void waiting.push(work) }));
  };
  return {
    charges,
    log,
    send,
    sendWithKey: async (body, fields = {}) => send(body, { ...fields, headers: { ...withKey.headers, ...fields.headers } }),
    settled: async () => {
      while (waiting.length > 0) await Promise.all(waiting.splice(0));
    },
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const { status, headers } = response;
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  const [isReplay, retryAfter] = [headers.get('idempotent-replayed') === 'true', headers.get('retry-after')];
  const told = [status, code, isReplay && 'replayed', retryAfter !== null && `retry after ${retryAfter}`].filter(Boolean).join(' ');
  return { status, headers, text, code, told };
}

export const key = (value: string): Fields => ({ headers: { 'idempotency-key': value } });
export const withKey = key('"key"');
export const mutation = (selection: string, variables?: object): object => ({ query: `mutation ${selection}`, variables });
export const failing = mutation('{ charge(fail: "secret") { number } }');

export const twice = async ({ sendWithKey }: Bank, body: unknown = charge): Promise<readonly [Answer, Answer]> => [
  await sendWithKey(body),
  await sendWithKey(body),
];

/** Sends operations with the same key, one after the other. Returns what the client is told of each. */
export async function told({ sendWithKey }: Bank, ...bodies: readonly unknown[]): Promise<string[]> {
  const lines: string[] = [];
  for (const body of bodies) lines.push((await sendWithKey(body)).told);
  return lines;
}

/** A memory store with some of its methods replaced. */
export function storeWith(replaced: (store: IdempotencyStore) => Partial<IdempotencyStore>): IdempotencyStore {
  const store = memoryStore();
  return { ...store, ...replaced(store) };
}

export const sending = (willSendResponse: (response: any) => void): ServerPlugin => ({
  requestDidStart: () => ({ willSendResponse: ({ response }) => willSendResponse(response) }),
});

export const throwing =
  (message: string, extensions = {}) =>
  (): never => {
    throw new GraphQLError(message, { extensions });
  };
