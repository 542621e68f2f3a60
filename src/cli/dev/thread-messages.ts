import type { ReadableStream } from 'node:stream/web';

import type { ServerOptions } from '../../server/options.ts';
import type { OptionsSource } from '../../server/start.ts';
import type { UserFiles } from '../project/source-search.ts';

// The messages between the server and the thread of a function. All of them can be cloned or transferred.

/** A request for the function. */
export interface ThreadRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** undefined: none. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** The function's answer. */
export interface ThreadResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: ReadableStream<Uint8Array> | null;
}

/** To the thread: a request, by number. */
export interface ThreadCall {
  readonly id: number;
  readonly request: ThreadRequest;
}

/** The outcome of a request. */
export interface RequestRecord {
  readonly method: string;
  /** Behind the function's name, with the query string; empty: nothing. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Those that it ran: several of a batch, none when it was refused, or when it is not GraphQL. */
  readonly operations: readonly OperationRecord[];
  /** Why it was refused, as it was thrown: the answer may say less. */
  readonly errors: readonly string[];
}

/** The outcome of an operation. */
export interface OperationRecord {
  /** Its kind, and its name or root fields. Undefined: it was refused before one was chosen. */
  readonly operation: string | undefined;
  readonly milliseconds: number;
  /** Calls of REST data sources. */
  readonly calls: number;
  /** How many of them a memo or a cache answered. */
  readonly hits: number;
  /** Their messages, as they were thrown: the answer may say less. */
  readonly errors: readonly string[];
}

/** A response on its way out of a thread: whole, where the thread may be frozen before a stream has ended. */
export interface ThreadAnswer extends Omit<ThreadResponse, 'body'> {
  readonly body: ThreadResponse['body'] | Uint8Array<ArrayBuffer>;
}

/** From the thread. `error` is a text with a stack, fit for the terminal. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: string; /** Whether it exports something to call. */ readonly isFunction: boolean }
  /** The errors of options that came after the function was ready. */
  | { readonly kind: 'problem'; readonly error: string }
  | { readonly kind: 'response'; readonly id: number; readonly response: ThreadAnswer }
  | { readonly kind: 'request'; readonly record: RequestRecord }
  | { readonly kind: 'error'; readonly id: number; readonly error: string };

/** The arguments of a createHandler that threw. They stay in the thread. */
export interface Refusal {
  readonly source: OptionsSource<ServerOptions>;
  /** "file:line:column" of the call, where it is known. */
  readonly place: string | undefined;
  readonly refusal: unknown;
}

/** The data that a thread starts with. */
export interface ThreadData extends UserFiles {
  readonly settings: PlatformSettings;
  readonly name: string;
  readonly file: string;
  readonly code: string;
  /** How many requests the thread has been sent; between them it sleeps. Undefined: it goes on running. */
  readonly thaw?: Int32Array<SharedArrayBuffer> | undefined;
}

/** The path behind a function's name in an address, for people: "/books/1?x". Empty: there is none. */
export function pathOf(name: string, url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  const at = pathname.indexOf(`/${name}`);
  const path = at < 0 ? pathname : pathname.slice(at + name.length + 1);
  const text = `${path}${search}`;
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Characters of a query string that say enough. */
const longest = 60;

/** The platforms that the dev server stands in for. `netlify` goes by the exports of a function. */
export const devPlatforms = ['netlify', 'netlify-v1', 'aws-http', 'aws-rest', 'function-url', 'alb', 'fetch'] as const;
export type DevPlatform = (typeof devPlatforms)[number];

/** How functions are called. */
export interface PlatformSettings {
  readonly platform: DevPlatform;
  /** API Gateway's stage, the first segment of the path. Undefined: none. */
  readonly stage?: string | undefined;
  /** Milliseconds that a function may take. Undefined: it is told the platform's own limit, and none is kept. */
  readonly timeout?: number | undefined;
}
