import type { GraphQLSchema } from 'graphql';

import type { ContextArgument } from '../http/context-argument.ts';
import { describe } from '../message/describe.ts';
import { isPlainObject } from '../message/plain-object.ts';
import type { Logger } from '../operation/types.ts';
import type { ServerPlugin } from '../operation/plugin.ts';
import { findOptionProblems } from './option-check.ts';
import type { OptionsToCheck } from './option-check.ts';
import { checkPlugins } from './plugin-check.ts';

/** The options with functions that are watched while they run. */
interface Watched {
  readonly context?: ((argument: never) => unknown) | undefined;
  readonly plugins?: readonly ServerPlugin[] | undefined;
  readonly cors?: { readonly origin?: unknown } | undefined;
  readonly rootValue?: unknown;
}

/** The same options, whose functions are warned of what production runs in silence. For development. */
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

/** Warns of options that a server can run with, but not as their author believes. */
export function warnOfOptions(options: OptionsToCheck, schema: GraphQLSchema, logger: Logger): void {
  for (const { message } of findOptionProblems(options, schema)) logger.warn(message);
}

type AnyFunction = (...given: unknown[]) => unknown;

/** The function of the cors package returns origins, or calls back: here either lets nobody in. */
function watchOrigin(origin: AnyFunction, logger: Logger): AnyFunction {
  return async (asking) => {
    const allowed = await origin(asking);
    if (typeof allowed !== 'boolean')
      logger.warn(`cors.origin returned ${describe(allowed)} for ${String(asking)}, which is not let in. Return true or false.`);
    return allowed;
  };
}

function watchRoot(rootValue: AnyFunction, logger: Logger): AnyFunction {
  return (document) => {
    const root = rootValue(document);
    if (root instanceof Promise) logger.warn('rootValue() returned a promise, and no field can be read from it. Return the value itself.');
    return root;
  };
}

type MakeContext = (argument: ContextArgument) => unknown;

/**
 * The same `context` function, warned of mistakes that show nowhere: an instance of a class that two operations share, and a
 * header that is assigned to `response.headers` as to a plain object, which is never sent.
 */
function watchContext(context: MakeContext, logger: Logger): MakeContext {
  const served = new WeakSet<object>();
  const warned = new Set<string>();
  const warnOnce = (message: string): void => {
    if (!warned.has(message)) logger.warn(message);
    warned.add(message);
  };
  const look = (value: unknown, { response }: ContextArgument): void => {
    const [assigned] = Object.keys(response.headers);
    if (assigned !== undefined) warnOnce(assignedHeader(assigned));
    if (typeof value !== 'object' || value === null || isPlainObject(value)) return;
    if (served.has(value)) warnOnce(sharedInstance(value));
    served.add(value);
  };
  return (argument) => {
    const made = context(argument);
    if (!(made instanceof Promise)) {
      look(made, argument);
      return made;
    }
    return made.then((value: unknown) => {
      look(value, argument);
      return value;
    });
  };
}

function assignedHeader(name: string): string {
  return `response.headers["${name}"] was assigned, and is not sent. Write response.headers.set("${name}", value).`;
}

function sharedInstance(value: object): string {
  return (
    `context() returned the same ${describe(value).replace(/^an? /, '')} for two operations. What one of them writes to it, the other reads, ` +
    'and they may be of different users: return a new instance every time. Plain objects are copied for each operation.'
  );
}
