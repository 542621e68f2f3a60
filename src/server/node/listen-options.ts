import { describe, isRecord } from '../../shared/index.ts';
import type { Expectation } from '../http/cors.ts';
import { assertEntries, boolean } from '../startup/options.ts';

/** Where a server listens, and how it stops. */
export interface ListenOptions {
  /** 0: any free port. Default: 4000. */
  readonly port?: number;
  /** Default: all interfaces. */
  readonly host?: string;
  /** Stop gracefully on SIGTERM and SIGINT. Default: true. */
  readonly signals?: boolean;
  /** Milliseconds that requests in flight may take to finish when the server stops. Default: 10,000. */
  readonly shutdownTimeout?: number;
}

/** Throws for unknown options and wrong values, like `assertOptions`. */
export function assertListenOptions(options: unknown): asserts options is ListenOptions {
  if (!isRecord(options)) throw new TypeError(`Expected the second argument of serve to be like { port: 4000 }, got ${describe(options)}.`);
  assertEntries('', options, expectations, ' of serve');
}

const expectations: Readonly<Record<keyof ListenOptions, Expectation>> = {
  port: { words: 'a number from 0 to 65535', holds: isPort },
  host: { words: 'the name or the address of an interface', holds: (value) => typeof value === 'string' && value !== '' },
  signals: boolean,
  shutdownTimeout: { words: 'a number of milliseconds that is not negative', holds: (value) => typeof value === 'number' && value >= 0 },
};

/** True for a port, also as a string from an environment variable: node:net takes both. */
function isPort(value: unknown): boolean {
  const port = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return Number.isInteger(port) && (port as number) >= 0 && (port as number) < 65_536;
}
