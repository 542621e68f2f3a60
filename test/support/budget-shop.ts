import { createHandler } from '../../src/entries/index.ts';
import { budget, memoryStore } from '../../src/entries/budget.ts';
import type { BudgetOptions, BudgetStore } from '../../src/entries/budget.ts';
import type { ServerOptions } from '../../src/entries/index.ts';
import { recordingLogger } from './recording-logger.ts';
import type { LogLine } from './recording-logger.ts';

type Options = ServerOptions<any, any, any, any>;

/** A handler whose clients have points. */
export interface Shop {
  /** The resolvers that have run. */
  readonly runs: string[];
  readonly log: readonly LogLine[];
  readonly send: (body: unknown, fields?: Fields) => Promise<Answer>;
  readonly handler: any;
  /** Moves the clock of the store. */
  readonly wait: (seconds: number) => void;
}

export interface Fields {
  readonly client?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly url?: string;
  /** The second argument of the handler. */
  readonly context?: object;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The codes of the first error of each element. */
  readonly codes: readonly string[];
}

export const typeDefs = `
  type Query { a: Int book: Book books(first: Int): [Book!]! }
  type Mutation { order: Int }
  type Subscription { ticks: Int }
  type Book { title: String }`;

/** A store whose clock stands still until `wait` moves it. Points take whole milliseconds to refill, unless a test sets others. */
export function stillStore(): { store: BudgetStore; wait: (seconds: number) => void } {
  let time = 1_000_000;
  return { store: memoryStore({ now: () => time }), wait: (seconds) => void (time += seconds * 1000) };
}

/**
 * Creates a shop. By default a client has 10 points, and gets one back in a second. `withoutBudget`: the plugins of `server` have a budget.
 */
export function openShop(
  { server = {}, ...options }: Partial<BudgetOptions> & { readonly server?: Partial<Options> } = {},
  { withoutBudget = false }: { readonly withoutBudget?: boolean } = {},
): Shop {
  const runs: string[] = [];
  const [logger, log] = recordingLogger();
  const run = (name: string, value: unknown) => () => {
    runs.push(name);
    return value;
  };
  const { store, wait } = stillStore();
  const extension = budget({ store, identity: ({ client }) => client, capacity: 10, refillPerSecond: 1, ...options });
  const { plugins = [], ...others } = server;
  const handler = createHandler({
    nodeEnv: 'test',
    maskErrors: true,
    csrfPrevention: true,
    logger,
    typeDefs,
    context: ({ request }: { request: { headers: { get: (name: string) => string | null } } }) => ({
      client: request.headers.get('x-client') ?? 'ada',
    }),
    resolvers: {
      Query: { a: run('a', 1), book: run('book', { title: 'Emma' }), books: run('books', [{ title: 'Emma' }]) },
      Mutation: { order: run('order', 1) },
      Subscription: {
        ticks: {
          subscribe: async function* () {
            runs.push('ticks');
            yield { ticks: 1 };
            yield { ticks: 2 };
          },
        },
      },
    },
    ...others,
    plugins: withoutBudget ? plugins : [...plugins, extension],
  } as unknown as Options) as any;
  const send: Shop['send'] = async (body, { client, headers, method = 'POST', url = 'https://shop.example/graphql', context } = {}) => {
    const request = new Request(url, {
      method,
      headers: {
        ...(method === 'POST' && { 'content-type': 'application/json' }),
        ...(client !== undefined && { 'x-client': client }),
        ...headers,
      },
      ...(method === 'POST' || method === 'QUERY' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    });
    return answerOf(await handler(request, context));
  };
  return { runs, log, send, handler, wait };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    codes: Array.from(text.matchAll(/"code":\s*"(\w+)"/g), ([, code]) => code!),
  };
}

/** An operation that takes all points. */
export const all = { query: '{ a b: a c: a d: a e: a f: a g: a h: a i: a j: a }' };
export const one = { query: '{ a }' };

/** The fields of an answer about points. */
export function fieldsOf({ headers }: Answer): readonly (string | null)[] {
  return ['ratelimit', 'ratelimit-policy', 'retry-after'].map((name) => headers.get(name));
}
