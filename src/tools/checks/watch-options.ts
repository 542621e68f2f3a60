import type { GraphQLSchema } from 'graphql';

import type { Logger, ServerPlugin } from '../../server/index.ts';
import { describe, didYouMean, isPlainObject } from '../../shared/index.ts';
import { findOptionProblems, misnamedMembers } from './option-check.ts';
import type { OptionsToCheck } from './option-check.ts';

/** The options whose functions are watched. */
interface Watched {
  readonly context?: ((argument: never) => unknown) | undefined;
  readonly dataSources?: (() => object) | undefined;
  readonly plugins?: readonly ServerPlugin[] | undefined;
  readonly landingPage?: boolean | undefined;
  readonly schema?: unknown;
  readonly typeDefs?: unknown;
}

type Warn = (message: string) => void;

/**
 * Wraps the functions of options to warn about mistakes that production ignores silently, and adds the page for browsers. For development.
 */
export function watchOptions<TOptions extends Watched>(options: TOptions, logger: Logger): TOptions {
  const { context, dataSources, plugins = [] } = options;
  const warned = new Set<string>();
  const warn = (message: string): void => {
    if (!warned.has(message)) logger.warn(message);
    warned.add(message);
  };
  return {
    ...options,
    ...(context && { context: watchContext(context as MakeContext, warn) }),
    ...(dataSources && { dataSources: () => watchDataSources(dataSources(), warn) }),
    plugins: [...plugins, remedies(watchCreation(options, warn), warn), ...(options.landingPage === false ? [] : [defaultPage])],
  };
}

/** `landingPage()`, which loads when a browser first requests it. */
const defaultPage: ServerPlugin = {
  start: () => ({ page: async () => (await import('../landing-page/index.ts')).renderLandingPage({}) }),
};

/** Warns about options that do not work as intended. */
export function warnOfOptions(options: OptionsToCheck, schema: GraphQLSchema, logger: Logger): void {
  for (const { message } of findOptionProblems(options, schema)) logger.warn(message);
}

/** How often a server was created for a schema that had answered operations, by the schema or its text. */
const created = new Map<unknown, number>();

/** Warns about the third handler of a schema, if the first two have answered: it is created for each request. */
function watchCreation({ schema, typeDefs }: Watched, warn: Warn): () => void {
  const isText = [typeDefs].flat(Number.POSITIVE_INFINITY).every((one) => typeof one === 'string');
  const key = schema ?? (isText ? String(typeDefs) : typeDefs);
  const times = created.get(key);
  if (times !== undefined) created.set(key, times + 1);
  if (times === 1)
    warn(
      'createHandler was called again for the same schema. Call it once, outside of your function: each call creates the schema again, with empty caches.',
    );
  return () => void created.set(key, created.get(key) ?? 0);
}

type MakeContext = (argument: unknown) => unknown;

/** Wraps a `context` function to warn about a class instance that two operations share, and to list its argument if it fails. */
function watchContext(context: MakeContext, warn: Warn): MakeContext {
  const served = new WeakSet<object>();
  const check = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || isPlainObject(value)) return value;
    if (served.has(value)) warn(sharedInstance(value));
    served.add(value);
    return value;
  };
  const fail = (error: unknown): never => {
    if (error instanceof TypeError) warn(contextArgument);
    throw error;
  };
  return (argument) => {
    try {
      const made = context(argument);
      return made instanceof Promise ? made.then(check, fail) : check(made);
    } catch (error) {
      return fail(error);
    }
  };
}

const contextArgument =
  'context() failed. Its argument is { request, response, event, context, env, waitUntil, signal }. ' +
  "Read a header with request.headers.get('authorization').";

function sharedInstance(value: object): string {
  return (
    `context() returned the same ${describe(value).replace(/^an? /, '')} for two operations. Both can read and write it, ` +
    'and they may belong to different users: return a new instance every time. Plain objects are copied for each operation.'
  );
}

/** Warns about names that are read but that `dataSources` has not returned, and about hooks of data sources that are never called. */
function watchDataSources(made: object, warn: Warn): object {
  // A method of a class instance could not read private members of its proxy.
  if (!isPlainObject(made)) return made;
  for (const [name, source] of Object.entries(made)) misnamedMembers(source, `the data source ${name}`, 'dataSource').forEach(warn);
  return new Proxy(made, {
    get(target, name, receiver) {
      // These are read of any object: by `await`, and by JSON.stringify.
      if (typeof name === 'string' && !(name in target) && name !== 'then' && name !== 'toJSON')
        warn(
          `dataSources.${name} was read, but dataSources() returned only ${Object.keys(target).join(', ')}.${didYouMean(name, Object.keys(target))}`,
        );
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

/** Adds what to do to errors whose messages, of V8 and graphql-js, do not say it. */
function remedies(onAnswer: () => void, warn: Warn): ServerPlugin {
  return {
    onlyWatches: true,
    async operation(_, next) {
      const outcome = await next();
      onAnswer();
      for (const { message, path } of outcome.errors) {
        if (path?.length === 1 && /^Cannot (?:read|destructure) propert/.test(message))
          warn('A resolver gets (parent, args, context, info), and a field of Query has no parent. Is the value before the dot undefined?');
        const [, value] =
          /^(.+)\.(?:map|filter|find|flatMap|forEach|reduce|some|every|slice|sort|includes) is not a function$/.exec(message) ?? [];
        if (value !== undefined) warn(`Is ${value} a promise? Write: (await ${value})`);
        const [, type] = /^Abstract type "(\w+)" must resolve to an Object type/.exec(message) ?? [];
        if (type !== undefined)
          warn(`Write in resolvers: ${type}: { __resolveType: (value) => 'Name' }, or return values with a __typename.`);
      }
      return outcome;
    },
  };
}
