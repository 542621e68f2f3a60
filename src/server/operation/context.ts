import { describe, isPlainObject, isPromiseLike, isRecord, shallowCopyOf, isObjectLike, hasMethods } from '../../shared/index.ts';
import type { OperationInvocation } from '../../shared/index.ts';
import type { DataSource, DataSourceConfig, KeyValueCache, WatchCall } from '../../datasources/index.ts';
import type { Logger } from './types.ts';

/** The settings for creating a context value. */
export interface ContextSettings {
  /** The user's `context` function. Unset: an empty object. */
  readonly context: ((argument: never) => unknown) | undefined;
  readonly dataSources: (() => Readonly<Record<string, unknown>>) | undefined;
  readonly cache: KeyValueCache;
  readonly logger: Logger;
  /** If true, a data source instance that serves two operations is an error; if false, it is logged once. */
  readonly development: boolean;
}

/** The part of an operation that its context value needs. */
export interface ContextInput {
  /** The argument of `context`. */
  readonly contextArgument: unknown;
  /**
   * The operation that data sources get. It does not have the platform's objects, because data sources must read the user from the context.
   */
  readonly invocation: OperationInvocation;
  /** Called for each call of a data source. */
  watchCall: WatchCall | undefined;
}

/**
 * Creates the context value of one operation: the value that `context` returns, with new data sources under `dataSources`. Returns a
 * promise only if something is asynchronous.
 */
export function createContextValue(settings: ContextSettings, input: ContextInput): unknown {
  if (settings.context === undefined) return settings.dataSources === undefined ? {} : attachDataSources(settings, {}, input);
  const value: unknown = settings.context(input.contextArgument as never);
  if (isPromiseLike(value)) return Promise.resolve(value).then((returned) => complete(settings, returned, input));
  return complete(settings, value, input);
}

/**
 * Copies a plain object, not its values. A `context` function may return the same object every time, and a user that one operation
 * stores on it would be visible to the next. An instance of a class is not copied: the copy would lack its private members.
 */
function complete(settings: ContextSettings, returned: unknown, input: ContextInput): unknown {
  // Without this check, a forgotten `return` would only show up in a resolver, as a property of undefined.
  if (!isObjectLike(returned))
    throw new TypeError(`Expected context() to return an object, for example { user }, got ${describe(returned)}.`);
  const value = (isPlainObject(returned) ? shallowCopyOf(returned) : returned) as Record<string, unknown>;
  if (settings.dataSources === undefined) return value;
  if ('dataSources' in value)
    throw new TypeError(
      'Expected context() to return a new object without the key "dataSources", which the option "dataSources" sets. ' +
        'Rename yours, or return a new object for every operation.',
    );
  return attachDataSources(settings, value, input);
}

/** Sets new data sources for an operation, and again for each event of a subscription, so that no event gets the data of an earlier one. */
export async function attachDataSources(
  settings: ContextSettings,
  contextValue: Record<string, unknown>,
  input: ContextInput,
): Promise<unknown> {
  const returned = assertDataSources(settings.dataSources?.());
  const dataSources = copyIfReused(returned, contextValue);
  const { invocation: operation, watchCall } = input;
  const { cache, development, logger } = settings;
  const warn = development ? (message: string): void => logger.warn(message) : undefined;
  const config: DataSourceConfig<unknown> = { context: contextValue, cache, operation, watchCall, warn };
  // This is async, so that a data source that throws synchronously does not leave another's rejection unhandled.
  const initializing = Object.entries(dataSources).map(async ([name, dataSource]) => {
    if (hasInitialize(dataSource)) {
      assertFresh(settings, name, dataSource);
      await dataSource.initialize(config);
    } else if (typeof dataSource === 'function' && hasInitialize(dataSource.prototype))
      throw new TypeError(`Expected dataSources().${name} to be an instance, got a class: new ${dataSource.name}().`);
  });
  // The assignment comes before waiting, because `initialize` may read other data sources from the context.
  contextValue['dataSources'] = dataSources;
  await Promise.all(initializing);
  return contextValue;
}

/**
 * The first operation that got each object returned by `dataSources`, and the members of the object at that time. Null for an object that
 * has been returned again.
 */
const containers = new WeakMap<object, { readonly contextValue: Record<string, unknown>; readonly members: object } | null>();

/**
 * The object itself becomes `context.dataSources`. One that `dataSources` has returned before has the data
 * sources of the latest operation, so both operations get copies.
 */
function copyIfReused(
  returned: Readonly<Record<string, unknown>>,
  contextValue: Record<string, unknown>,
): Readonly<Record<string, unknown>> {
  if (!isPlainObject(returned)) return returned;
  const known = containers.get(returned);
  containers.set(returned, known === undefined ? { contextValue, members: { ...returned } } : null);
  if (known) Reflect.set(known.contextValue, 'dataSources', known.members);
  return known === undefined ? returned : { ...returned };
}

function assertDataSources(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value) && !isPromiseLike(value)) return value;
  // The rejection of a promise that nobody awaits would end the process.
  if (isPromiseLike(value)) Promise.resolve(value).catch(() => {});
  throw new TypeError(
    `Expected dataSources() to return an object of data source instances, for example { books: new BooksAPI() }, got ${describe(value)}.`,
  );
}

interface Initializable {
  initialize(config: DataSourceConfig<unknown>): unknown;
}

function hasInitialize(value: unknown): value is Initializable {
  return hasMethods(value, 'initialize');
}

/** Every data source that has served an operation. */
const served = new WeakSet<object>();
const warned = new WeakSet<Logger>();

/** Data source rule 3: an instance shared by two operations mixes their answers, so one user could see another's data. */
export function assertFresh(
  { development, logger }: Pick<ContextSettings, 'development' | 'logger'>,
  name: string,
  dataSource: object,
): void {
  if (!served.has(dataSource)) {
    served.add(dataSource);
    return;
  }
  const message =
    `The data source "${name}" was used in an earlier operation. dataSources() must create a new instance for every ` +
    `operation, for example dataSources: () => ({ ${name}: new ${dataSource.constructor.name}() }): a shared one mixes the answers of different users.`;
  if (development) throw new Error(message);
  if (warned.has(logger)) return;
  warned.add(logger);
  logger.warn(message);
}

/** The context value that resolvers get: what `context` returned, with the data sources. */
export type ContextValue<TContext, TDataSources> = TContext & { readonly dataSources: TDataSources };

/**
 * `unknown` if the data sources are instances, and the context has everything that they read; else a type that no options have. A data source
 * class declares what it reads with its type argument, `DataSource<{ token: string }>`.
 */
export type ContextFits<TContext, TDataSources> = [ClassesOf<TDataSources>] extends [never]
  ? UnfitDataSources<TContext, TDataSources> extends never
    ? unknown
    : { readonly dataSources: `context() does not return what the data source ${UnfitDataSources<TContext, TDataSources> & string} reads` }
  : { readonly dataSources: `dataSources() returns a class, not an instance, for ${ClassesOf<TDataSources> & string}: write new` };

/** The names of data sources that are classes. */
type ClassesOf<TDataSources> = {
  // `any` may be a class.
  [Name in keyof TDataSources]: 0 extends 1 & TDataSources[Name]
    ? never
    : TDataSources[Name] extends abstract new (...values: never) => unknown
      ? Name
      : never;
}[keyof TDataSources];

/** The names of data sources that read members that the context does not have. */
type UnfitDataSources<TContext, TDataSources> = {
  [Name in keyof TDataSources]: TDataSources[Name] extends DataSource<infer TNeeded>
    ? // TypeScript assumes `object` until it has inferred the type of the context.
      object extends TContext
      ? never
      : ContextValue<TContext, TDataSources> extends TNeeded
        ? never
        : Name
    : never;
}[keyof TDataSources];
