/** The methods that write a line. */
const levels: ReadonlySet<PropertyKey> = new Set(['debug', 'info', 'warn', 'error']);

/** One for each logger: warnings that come once are remembered by it. */
const guards = new WeakMap<object, object>();

/**
 * The user's logger, that cannot fail: lines are also written where nobody waits, behind an answer or in the end of a promise, and
 * there an exception, or a promise that rejects, ended the process and every other request in it. What could not be logged is
 * printed by the console. All else that the logger has is there, too.
 */
export function guardLogger<TLogger extends object>(logger: TLogger): TLogger {
  if ((logger as unknown) === console) return logger;
  let guard = guards.get(logger) as TLogger | undefined;
  if (guard === undefined) guards.set(logger, (guard = createGuard(logger)));
  return guard;
}

function createGuard<TLogger extends object>(logger: TLogger): TLogger {
  const get = (_guard: TLogger, key: PropertyKey): unknown => {
    const value: unknown = Reflect.get(logger, key, logger);
    if (typeof value !== 'function') return value;
    // Methods of a class read private members, which only the logger itself has.
    return (...given: unknown[]): unknown =>
      levels.has(key) ? write(logger, value as Method, given) : Reflect.apply(value, logger, given);
  };
  // Around an object of its own: a property of a frozen logger could not be another than it is.
  return new Proxy(Object.create(logger) as TLogger, { get, set: (_guard, key, value) => Reflect.set(logger, key, value) });
}

type Method = (...given: unknown[]) => unknown;

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
  // oxlint-disable-next-line no-console -- there is no other place left
  console.error('The logger failed.', failure, ...line);
}
