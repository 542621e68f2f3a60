import type { FunctionSource } from '../project/functions-folder.ts';
import type { Compilation } from '../project/loader.ts';

// What the server and the process of the functions tell each other.

/** What the process loads, and where it listens. */
export interface ProcessData extends ServeSettings {
  readonly functions: readonly FunctionToLoad[];
  readonly socket: string;
}

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
  /** Why it cannot be compiled or loaded. */
  readonly problem: string | undefined;
  /** Set for a file that is not a function, which functions may import. */
  readonly notice: string | undefined;
}

/** A message of the process. */
export type ProcessMessage =
  | DevEvent
  /** The process is listening. */
  | { readonly kind: 'loaded'; readonly functions: readonly LocalFunction[] }
  /** Why the process is about to end. */
  | { readonly kind: 'crash'; readonly message: string };

/** An event that is printed in the terminal. */
export type DevEvent =
  /** The first compilation of all functions in a folder. */
  | { readonly kind: 'compiling'; readonly folder: string }
  | { readonly kind: 'ready'; readonly name: string }
  | { readonly kind: 'reloaded'; readonly name: string }
  | { readonly kind: 'removed'; readonly name: string }
  /** The function cannot be compiled, or its module throws. Requests are answered with this message. */
  | { readonly kind: 'broken'; readonly name: string; readonly message: string }
  /** One request failed, or the process has crashed. */
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  | RequestRecord
  /** A file of the folder that functions import. */
  | { readonly kind: 'helper'; readonly name: string; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string };

/** A request that has been answered. */
export interface RequestRecord {
  readonly kind: 'request';
  /** The function's name. */
  readonly name: string;
  readonly method: string;
  /** The path after the function's name, with the query string. */
  readonly path: string;
  readonly status: number;
  /** Until the response begins. */
  readonly milliseconds: number;
}

/** The platforms that the dev server emulates. For `netlify`, the exports decide how a function is called. */
export const devPlatforms = ['netlify', 'netlify-v1', 'aws-http', 'aws-rest', 'function-url', 'alb', 'fetch'] as const;
export type DevPlatform = (typeof devPlatforms)[number];

/** How functions are called. */
export interface PlatformSettings {
  readonly platform: DevPlatform;
  /** Milliseconds that a function may take. Undefined: it sees the platform's default limit, which is not enforced. */
  readonly timeout?: number | undefined;
}
