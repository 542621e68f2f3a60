/** The start of a server as plugins see it: the argument of `start`, and the hooks and the page that they may return. */
import type { GraphQLSchema } from 'graphql';

import type { KeyValueCache } from '../../datasources/index.ts';
import type { Facts, PromiseOrValue } from '../../shared/index.ts';
import type { CheckedDocuments } from './documents/trusted-documents.ts';
import type { Logger } from './types.ts';

/** The argument of `start`. */
export interface ServerStartContext {
  readonly schema: GraphQLSchema;
  /** The store of the option `cache`. */
  readonly cache: KeyValueCache;
  readonly logger: Logger;
  /** The option `nodeEnv`, or NODE_ENV. Undefined counts as production. */
  readonly nodeEnv: string | undefined;
  /** The documents of the option `trustedDocuments`, with their ids. A function, because a manifest may list thousands. */
  readonly trustedDocuments: () => CheckedDocuments;
  /** The options `maxBodyBytes` and `maxResultBytes`, or their defaults. */
  readonly maxBodyBytes: number;
  readonly maxResultBytes: number;
  /** False if graphql-js runs the operations, which ignores the `observer` of an execution. */
  readonly observesResolvers: boolean;
  /**
   * Facts that plugins share about the server: set in `start`, and read at requests. `limits()` sets "limits", `budget()` "budget".
   */
  readonly facts: Facts;
}

/** The hooks of a server's lifecycle. */
export interface ServerListener {
  /** Called before a long-lived process stops taking requests. */
  drainServer?(): PromiseOrValue<void>;
  /** Called when the server has answered its last request. */
  serverWillStop?(): PromiseOrValue<void>;
  /** Returns the page that browsers get in development. */
  renderLandingPage?(): PromiseOrValue<LandingPage>;
}

/** The page that browsers get in development. */
export interface LandingPage {
  /** The HTML document, or a function that returns one for each request. */
  readonly html: string | (() => PromiseOrValue<string>);
  /** Additional response headers, for example a content security policy. */
  readonly headers?: Readonly<Record<string, string>>;
}
