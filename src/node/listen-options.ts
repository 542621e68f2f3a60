import { describe } from '../operation/errors.ts';
import { didYouMean } from '../message/did-you-mean.ts';

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

/** Throws for unknown options and wrong values, like `assertOptions` for the options of a server. */
export function assertListenOptions(options: unknown): asserts options is ListenOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`Expected the second argument of serve to be like { port: 4000 }, got ${describe(options)}.`);
  const known = Object.keys(expectations);
  for (const [name, value] of Object.entries(options)) {
    const expected = Object.hasOwn(expectations, name) ? expectations[name as keyof ListenOptions] : undefined;
    if (expected === undefined)
      throw new TypeError(
        `Unknown option "${name}" in the second argument of serve.${didYouMean(name, known)} Known options: ${known.join(', ')}.`,
      );
    if (value !== undefined && !expected.holds(value))
      throw new TypeError(`Expected the option ${name} of serve to be ${expected.words}, got ${describe(value)}.`);
  }
}

interface Expectation {
  readonly words: string;
  readonly holds: (value: unknown) => boolean;
}

const expectations: Readonly<Record<keyof ListenOptions, Expectation>> = {
  port: { words: 'a number from 0 to 65535', holds: isPort },
  host: { words: 'the name or the address of an interface', holds: (value) => typeof value === 'string' && value !== '' },
  signals: { words: 'true or false', holds: (value) => typeof value === 'boolean' },
  shutdownTimeout: { words: 'a number of milliseconds that is not negative', holds: (value) => typeof value === 'number' && value >= 0 },
};

/** True for a port, also as text, as in an environment variable: node:net takes both. */
function isPort(value: unknown): boolean {
  const port = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return Number.isInteger(port) && (port as number) >= 0 && (port as number) < 65_536;
}
