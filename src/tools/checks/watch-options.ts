import type { GraphQLSchema } from 'graphql';

import type { ContextArgument, Logger, ServerPlugin } from '../../server/index.ts';
import { describe, isPlainObject } from '../../shared/index.ts';
import { findOptionProblems } from './option-check.ts';
import type { OptionsToCheck } from './option-check.ts';
import { checkPlugins } from './plugin-check.ts';

/** The options whose functions are watched. */
interface Watched {
  readonly context?: ((argument: never) => unknown) | undefined;
  readonly plugins?: readonly ServerPlugin[] | undefined;
  readonly cors?: { readonly origin?: unknown } | undefined;
  readonly rootValue?: unknown;
}

/** Wraps the functions of options to warn about mistakes that production ignores silently. For development. */
export function watchOptions<TOptions extends Watched>(options: TOptions, logger: Logger): TOptions {
  const { context, plugins, cors, rootValue } = options;
  return {
    ...options,
    ...(typeof cors?.origin === 'function' && { cors: { ...cors, origin: watchOrigin(cors.origin as AnyFunction, logger) } }),
    ...(typeof rootValue === 'function' && { rootValue: watchRoot(rootValue as AnyFunction, logger) }),
    ...(context !== undefined && { context: watchContext(context as MakeContext, logger) }),
    ...(plugins !== undefined && { plugins: checkPlugins(plugins, logger) }),
  };
}

/** Warns about options that do not work as intended. */
export function warnOfOptions(options: OptionsToCheck, schema: GraphQLSchema, logger: Logger): void {
  for (const { message } of findOptionProblems(options, schema)) logger.warn(message);
}

type AnyFunction = (...given: unknown[]) => unknown;

/** In the cors package, this function returns origins or calls back; here, either would allow no origin. */
function watchOrigin(origin: AnyFunction, logger: Logger): AnyFunction {
  return async (requestOrigin) => {
    const allowed = await origin(requestOrigin);
    if (typeof allowed !== 'boolean')
      logger.warn(
        `cors.origin returned ${describe(allowed)} for ${String(requestOrigin)}, so the origin is not allowed. Return true or false.`,
      );
    return allowed;
  };
}

function watchRoot(rootValue: AnyFunction, logger: Logger): AnyFunction {
  return (document) => {
    const root = rootValue(document);
    if (root instanceof Promise) logger.warn('rootValue() returned a promise, which has no fields. Return the value.');
    return root;
  };
}

type MakeContext = (argument: ContextArgument) => unknown;

/**
 * Wraps a `context` function to warn about silent mistakes: a class instance that two operations share, and a header that is
 * assigned to `response.headers` as if it were a plain object, and is never sent.
 */
function watchContext(context: MakeContext, logger: Logger): MakeContext {
  const served = new WeakSet<object>();
  const warned = new Set<string>();
  const warnOnce = (message: string): void => {
    if (!warned.has(message)) logger.warn(message);
    warned.add(message);
  };
  const check = (value: unknown, { response }: ContextArgument): void => {
    const [assigned] = Object.keys(response.headers);
    if (assigned !== undefined) warnOnce(assignedHeader(assigned));
    if (typeof value !== 'object' || value === null || isPlainObject(value)) return;
    if (served.has(value)) warnOnce(sharedInstance(value));
    served.add(value);
  };
  return (argument) => {
    const made = context(argument);
    if (!(made instanceof Promise)) {
      check(made, argument);
      return made;
    }
    return made.then((value: unknown) => {
      check(value, argument);
      return value;
    });
  };
}

function assignedHeader(name: string): string {
  return `Assigning response.headers["${name}"] does not send the header. Call response.headers.set("${name}", value).`;
}

function sharedInstance(value: object): string {
  return (
    `context() returned the same ${describe(value).replace(/^an? /, '')} for two operations. Both can read and write it, ` +
    'and they may belong to different users: return a new instance every time. Plain objects are copied for each operation.'
  );
}
