import { assertEntries, boolean, describe, isRecord } from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';

/** Where a server listens, which requests it answers, and how it stops. */
export interface ListenOptions {
  /** 0: any free port. Default: 4000. */
  readonly port?: number;
  /** If set, a server in development answers requests for any Host. Default: all interfaces. */
  readonly host?: string;
  /**
   * In development, a request whose Host is neither one of these names nor localhost gets a 403: the page of another site could have sent it
   * (DNS rebinding). Names without a port. No effect outside of development. Default: none.
   */
  readonly allowedHosts?: readonly string[];
  /** Stop gracefully on SIGTERM and SIGINT. Default: true. */
  readonly signals?: boolean;
  /** Milliseconds that requests in flight may take to finish when the server stops. Default: 10,000. */
  readonly shutdownTimeout?: number;
}

/** Throws for unknown options and wrong values, like `assertOptions`. */
export function assertListenOptions(options: unknown): asserts options is ListenOptions {
  if (!isRecord(options)) throw new TypeError(`Expected the second argument of serve to be like { port: 4000 }, got ${describe(options)}.`);
  assertEntries('', options, expectations, 'serve');
}

/** Throws for unknown options and wrong values of `createListener`. */
export function assertListenerOptions(options: unknown): asserts options is Pick<ListenOptions, 'allowedHosts'> {
  if (!isRecord(options))
    throw new TypeError(`Expected the second argument of createListener to be like { allowedHosts: ["api"] }, got ${describe(options)}.`);
  assertEntries('', options, { allowedHosts }, 'createListener');
}

const allowedHosts: Expectation = {
  words: 'a list of host names without scheme and port',
  holds: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && /^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(name)),
};

const expectations: Readonly<Record<keyof ListenOptions, Expectation>> = {
  port: { words: 'a number from 0 to 65535', holds: isPort },
  host: { words: 'the name or the address of an interface', holds: (value) => typeof value === 'string' && value !== '' },
  allowedHosts,
  signals: boolean,
  shutdownTimeout: { words: 'a number of milliseconds that is not negative', holds: (value) => typeof value === 'number' && value >= 0 },
};

/** True for a port, also as a string from an environment variable: node:net takes both. */
function isPort(value: unknown): boolean {
  const port = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return Number.isInteger(port) && (port as number) >= 0 && (port as number) < 65_536;
}
