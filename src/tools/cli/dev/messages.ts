import type { FunctionSource } from '../project/functions-folder.ts';
import type { Compilation } from '../project/loader.ts';

// Messages between the server and the process of the functions.

/** The functions that the process loads, and how it serves them. */
export interface ProcessData extends ServeSettings {
  readonly functions: readonly FunctionToLoad[];
}

/** A message to the process. */
export type Instruction =
  | { readonly kind: 'load'; readonly data: ProcessData }
  /** Comes with the connection of a client. */
  | { readonly kind: 'connection' }
  /** End once all requests are answered. */
  | { readonly kind: 'retire' }
  /** Answer all requests with this reason, and end. */
  | { readonly kind: 'stop'; readonly status: number; readonly message: string };

/** How functions are served. */
export interface ServeSettings {
  /** The project's folder. */
  readonly directory: string;
  readonly host: string;
  readonly prefix: string;
  readonly platform: PlatformSettings;
}

export interface FunctionToLoad extends FunctionSource {
  readonly compiled: Compilation;
}

/** A function of the folder. */
export interface LocalFunction {
  readonly name: string;
  readonly isGraphQL: boolean;
  /** Why it cannot be compiled or loaded. Requests are answered with this message. */
  readonly problem: string | undefined;
}

/** A message of the process. */
export type ProcessMessage =
  | DevEvent
  /** Why the process has to end. */
  | { readonly kind: 'crash'; readonly message: string };

/** An event that is printed in the terminal. */
export type DevEvent =
  /** The functions have been loaded, for the first time or again, and are served. */
  | { readonly kind: 'loaded'; readonly functions: readonly LocalFunction[] }
  /** One request failed, or the process has crashed. */
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  /** A request has been answered: its function, status, path and time. */
  | { readonly kind: 'request'; readonly line: string }
  | { readonly kind: 'warning'; readonly message: string };

/** The platforms that the dev server emulates. For `netlify`, the exports decide how a function is called. */
export const devPlatforms = ['netlify', 'netlify-v1', 'aws-http', 'aws-rest', 'function-url', 'alb', 'fetch'] as const;
export type DevPlatform = (typeof devPlatforms)[number];

/** How functions are called. */
export interface PlatformSettings {
  readonly platform: DevPlatform;
  /** Milliseconds that a function may take. Undefined: it sees the platform's default limit, which is not enforced. */
  readonly timeout?: number | undefined;
}
