import { afterEach, beforeEach, mock } from 'node:test';

import type { EdgeOptions } from '../../../src/entries/edge.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { edgeServing } from './serving.ts';
import type { EdgeServing } from './serving.ts';

/** The refusal of a CDN that says when to send a purge again. */
export function refusedFor(retryAfter: number | undefined): Error {
  return Object.assign(new Error('429'), { retryAfter });
}

export const typeDefs = `
  type Query { book(id: ID!): Book @cacheControl(maxAge: 60) books: [Book] @cacheControl(maxAge: 60) }
  interface Node { id: ID! } union Item = Book | Pen
  type Book implements Node @cacheControl(maxAge: 60) { id: ID! title: String } type Pen { id: ID! }
  type Mutation { rename(id: ID!): Book remove(id: ID!): Boolean nameless: Book failing: Book strict: Pair! both(id: ID!): Pair } type Pair { book: Book pen: Pen }`;

const oddTypeDefs = `
  type Query { book(id: ID!): Book @cacheControl(maxAge: 60) item: Item @cacheControl(maxAge: 60) }
  interface Node { id: ID! } union Item = Book | Pen
  type Book implements Node @cacheControl(maxAge: 60) { id: ID! title: String pens: [Pen] } type Pen implements Node @cacheControl(maxAge: 60) { id: ID! }
  type Mutation { rename: Book replace: Book! replaceAll: [Book!]! renameAll: [Book] write: Book turn: Node tidy: Tidied strictTidy: Strict! }
  type Tidied { books: [Book] pens: [Pen] } type Strict { pens: [Pen!]! }`;

export const fail = (): never => {
  throw new Error('No.');
};

interface Shop extends Omit<EdgeServing, 'settled'> {
  readonly purges: string[][];
}

/** A purge that is refused with these errors, and then accepted. */
export function refusing(...errors: readonly Error[]): {
  readonly purge: (tags: readonly string[]) => Promise<void>;
  readonly sent: (readonly string[])[];
} {
  const sent: (readonly string[])[] = [];
  const purge = async (tags: readonly string[]): Promise<void> => {
    const error = errors[sent.push(tags) - 1];
    if (error !== undefined) throw error;
  };
  return { purge, sent };
}

/** Stops the timers in each test of a suite: purges are not repeated unless the test advances the timers. */
export function stopTimers(): void {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());
}

/** Advances the timers until the promise has settled. */
export async function advancing<T>(promise: Promise<T>): Promise<T> {
  const settled: true[] = [];
  const settle = (): void => void settled.push(true);
  promise.then(settle, settle);
  while (settled.length === 0) {
    await new Promise(setImmediate);
    mock.timers.tick(5);
  }
  return promise;
}

export function shop(options: Partial<EdgeOptions> = {}, resolvers: object = {}, server: object = {}): Shop {
  const purges: string[][] = [];
  const Mutation = {
    rename: (_: unknown, { id }: { id: string }) => ({ id, title: 'new' }),
    both: (_: unknown, { id }: { id: string }) => ({ book: { id }, pen: null }),
    remove: () => true,
    nameless: () => ({ title: 'new' }),
    failing: fail,
    strict: fail,
  };
  const Query = { book: (_: unknown, { id }: { id: string }) => ({ id, title: 'old' }), books: () => [{ id: '1' }] };
  const serving = edgeServing({
    purge: async (tags) => void purges.push([...tags]),
    ...options,
    server: { typeDefs, resolvers: { Query, Mutation, ...resolvers }, ...server } as never,
  });
  return { ...serving, purges };
}

/** Creates a shop with a schema for fields that fail in unusual places. */
export function oddShop({ Query = {}, ...resolvers }: { Query?: object; Mutation: object; Strict?: object }, server: object = {}): Shop {
  return shop({}, { Query: { book: () => null, ...Query }, ...resolvers }, { typeDefs: oddTypeDefs, ...server });
}

export function posted(query: string, init: RequestInit): Request {
  const headers = { 'content-type': 'application/json' };
  return new Request('https://api.example/', { method: 'POST', headers, body: JSON.stringify({ query }), ...init });
}

/** A plugin that replaces the data of answers. */
export const copying: ServerPlugin = {
  requestDidStart: () => ({
    willSendResponse: async ({ response }) => {
      response.result = structuredClone(response.result);
    },
  }),
};
