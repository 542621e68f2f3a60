import type { ReadableStream } from 'node:stream/web';

// What passes between the server and the thread of a function. All of it can be cloned or transferred.

/** A request for the function. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** undefined: none. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** What the function answered. */
export interface WireResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: ReadableStream<Uint8Array> | null;
}

/** To the thread: a request, by number. */
export interface WireCall {
  readonly id: number;
  readonly request: WireRequest;
}

/** From the thread. `error` is a text with a stack, fit for the terminal. */
export type WireMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'response'; readonly id: number; readonly response: WireResponse }
  | { readonly kind: 'error'; readonly id: number; readonly error: string };

/** What a thread starts with. */
export interface ThreadData {
  readonly name: string;
  readonly file: string;
  readonly code: string;
}
