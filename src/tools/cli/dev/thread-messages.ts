import type { ReadableStream } from 'node:stream/web';

import type { OptionsSource, ServerOptions } from '../../../server/index.ts';
import type { UserFiles } from '../project/source-search.ts';
import type { UserCode } from '../project/user-code.ts';

// The messages between the server and a function's thread. All can be cloned or transferred.

export interface ThreadRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

export interface ThreadResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: ReadableStream<Uint8Array> | null;
}

/** A request to the thread. */
export interface ThreadCall {
  readonly id: number;
  readonly request: ThreadRequest;
}

/** The outcome of a request. */
export interface RequestRecord {
  readonly method: string;
  /** The path after the function's name, with the query string. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** The operations that ran: several in a batch, none if the request was rejected or is not GraphQL. */
  readonly operations: readonly OperationRecord[];
  /** Why it was rejected, unmasked: the response may say less. */
  readonly errors: readonly string[];
}

/** The outcome of an operation. */
export interface OperationRecord {
  /** Its kind, and its name or root fields. Undefined if the request failed before an operation was chosen. */
  readonly operation: string | undefined;
  readonly milliseconds: number;
  /** Calls of REST data sources. */
  readonly calls: number;
  /** The number of calls that a memo or cache answered. */
  readonly hits: number;
  /** The error messages, unmasked: the response may say less. */
  readonly errors: readonly string[];
}

/** A message from the thread. `error` is a text with a stack for the terminal. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: string; /** Whether it exports something to call. */ readonly isFunction: boolean }
  /** The errors of options that resolved after the function was ready. */
  | { readonly kind: 'problem'; readonly error: string }
  | { readonly kind: 'notice'; readonly message: string }
  | { readonly kind: 'response'; readonly id: number; readonly response: ThreadResponse }
  | { readonly kind: 'request'; readonly record: RequestRecord }
  | { readonly kind: 'error'; readonly id: number; readonly error: string };

/** A createHandler call that threw. Stays in the thread. */
export interface RefusedOptions {
  readonly source: OptionsSource<ServerOptions>;
  /** "file:line:column" of the call, if known. */
  readonly place: string | undefined;
  readonly refusal: unknown;
}

export interface ThreadData extends UserFiles, UserCode {
  readonly settings: PlatformSettings;
  readonly name: string;
}

/** The path after a function's name in a URL, for display: "/books/1?x". */
export function pathOf(name: string, url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  const at = pathname.indexOf(`/${name}`);
  const path = at < 0 ? pathname : pathname.slice(at + name.length + 1);
  const text = `${path}${search}`;
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** The number of characters to display. */
const longest = 60;

/** The platforms that the dev server emulates. For `netlify`, the exports decide how a function is called. */
export const devPlatforms = ['netlify', 'netlify-v1', 'aws-http', 'aws-rest', 'function-url', 'alb', 'fetch'] as const;
export type DevPlatform = (typeof devPlatforms)[number];

/** How functions are called. */
export interface PlatformSettings {
  readonly platform: DevPlatform;
  /** Milliseconds that a function may take. Undefined: it sees the platform's default limit, which is not enforced. */
  readonly timeout?: number | undefined;
}
