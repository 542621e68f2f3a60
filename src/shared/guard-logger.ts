import { getOrCreate } from './get-or-create.ts';
import { escapeControls, printable } from './log-text.ts';

/** The methods that write a line. */
const levels: ReadonlySet<PropertyKey> = new Set(['debug', 'info', 'warn', 'error']);

/** One guard for each logger: code that warns once remembers it by the guard. */
const guards = new WeakMap<object, object>();

/**
 * The user's logger, with methods that write every line of the server: texts on one line, whatever they quote, and errors as the console may
 * print them; other loggers get the error itself, which they write as data. They cannot fail: in background work, an exception or a rejected
 * promise would end the process. What cannot be logged goes to the console. All other members are passed through.
 */
export function guardLogger<TLogger extends object>(logger: TLogger): TLogger {
  return getOrCreate(guards, logger, () => createGuard(logger)) as TLogger;
}

function createGuard<TLogger extends object>(logger: TLogger): TLogger {
  const get = (_guard: TLogger, key: PropertyKey): unknown => {
    const value: unknown = Reflect.get(logger, key, logger);
    if (typeof value !== 'function') return value;
    // The method is called on the logger itself, which has the private members.
    return (...given: unknown[]): unknown =>
      levels.has(key) ? write(logger, value as Method, lineOf(logger, key, given)) : Reflect.apply(value, logger, given);
  };
  // The target is another object, because a proxy of a frozen logger must return its methods unchanged.
  return new Proxy(Object.create(logger) as TLogger, { get, set: (_guard, key, value) => Reflect.set(logger, key, value) });
}

type Method = (...given: unknown[]) => unknown;

/** pino takes an error before the text: after it, the error would be missing in the line. */
const pinoMark = Symbol.for('pino.serializers');

/** {} }`. => Counts a logger as the console if it has the methods of the console, like `{ ...console, debug: () => {} }`. => {} }`. */
function lineOf(logger: object, level: PropertyKey, given: readonly unknown[]): unknown[] {
  const line = given.map(Reflect.get(logger, level) === Reflect.get(console, level) ? printable : escapeText);
  return pinoMark in logger && line.length > 1 ? line.toReversed() : line;
}

function escapeText(value: unknown): unknown {
  return typeof value === 'string' ? escapeControls(value) : value;
}

function write(logger: object, method: Method, line: unknown[]): unknown {
  try {
    const written = Reflect.apply(method, logger, line);
    return written instanceof Promise ? written.catch((failure: unknown) => printInstead(failure, line)) : written;
  } catch (failure) {
    printInstead(failure, line);
    return undefined;
  }
}

function printInstead(failure: unknown, line: readonly unknown[]): void {
  // oxlint-disable-next-line no-console -- the logger has failed
  console.error('The logger failed.', printable(failure), ...line.map(printable));
}
