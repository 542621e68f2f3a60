import { describe, isPlainObject, isPromiseLike, isRecord, shallowCopyOf } from '../../shared/index.ts';
import type { PromiseOrValue, OperationInvocation } from '../../shared/index.ts';
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
  /** Looks for mistakes in data sources. Undefined in production. */
  readonly checks: DataSourceChecks | undefined;
}

/** Warns of likely mistakes. */
export interface DataSourceChecks {
  checkDataSources(dataSources: Readonly<Record<string, unknown>>, logger: Logger): void;
}

/**
 * Creates the context value of one operation: what `context` returns, with new data sources under `dataSources`. Returns a promise only if
 * something is asynchronous.
 */
export function createContextValue(settings: ContextSettings, input: ContextInput): PromiseOrValue<unknown> {
  if (settings.context === undefined && settings.dataSources === undefined) return {};
  if (settings.context === undefined) return complete(settings, {}, input);
  const value: unknown = settings.context(input.contextArgument as never);
  return isPromiseLike(value) ? completeLater(settings, value, input) : completeReturned(settings, value, input);
}

async function completeLater(settings: ContextSettings, value: PromiseLike<unknown>, input: ContextInput): Promise<unknown> {
  return completeReturned(settings, await value, input);
}

/** The part of an operation's input that its context value needs. */
export interface ContextInput {
  /** The argument of `context`. */
  readonly contextArgument: unknown;
  /** Data sources get it as their operation: without the platform's objects, because they must read the user from the context. */
  readonly invocation: OperationInvocation;
  /** Called for each call of a data source. */
  watchCall: WatchCall | undefined;
}

function completeReturned(settings: ContextSettings, value: unknown, input: ContextInput): PromiseOrValue<unknown> {
  assertObject(value);
  return complete(settings, copyContextValue(value), input);
}

function complete(settings: ContextSettings, value: Record<string, unknown>, input: ContextInput): PromiseOrValue<unknown> {
  if (settings.dataSources === undefined) return value;
  assertTakesDataSources(value);
  return attachDataSources(settings, value, input);
}

/** Without this check, a forgotten `return` would only show up in a resolver, as a property of undefined. */
function assertObject(value: unknown): asserts value is Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return;
  throw new TypeError(`Expected context() to return an object, for example { user }, got ${describe(value)}.`);
}

/**
 * Copies a plain object, not its values. A `context` function may return the same object every time, and a user that one operation
 * stores on it would be visible to the next. An instance of a class is not copied: the copy would lack its private members.
 */
function copyContextValue(value: Record<string, unknown>): Record<string, unknown> {
  return isPlainObject(value) ? shallowCopyOf(value) : value;
}

/** Sets new data sources: for an operation, and again for each event of a subscription, whose data must not be that of the event before it. */
export async function attachDataSources(
  settings: ContextSettings,
  contextValue: Record<string, unknown>,
  input: ContextInput,
): Promise<unknown> {
  const returned = assertDataSources(settings.dataSources?.());
  const dataSources = copyIfReused(returned, contextValue);
  const { invocation: operation, watchCall } = input;
  const { cache, checks, logger } = settings;
  const warn = checks && ((message: string): void => logger.warn(message));
  const config: DataSourceConfig<unknown> = { context: contextValue, cache, operation, watchCall, warn };
  // This is async, so that a data source that throws synchronously does not leave another's rejection unhandled.
  const initializing = Object.entries(dataSources).map(async ([name, dataSource]) => {
    if (hasInitialize(dataSource)) {
      assertFresh(settings, name, dataSource);
      await dataSource.initialize(config);
    } else assertInstance(name, dataSource);
  });
  // The assignment comes before waiting, because `initialize` may read other data sources from the context.
  contextValue['dataSources'] = dataSources;
  await Promise.all(initializing);
  checks?.checkDataSources(dataSources, logger);
  return contextValue;
}

/** The first operation that got each object returned by `dataSources`, and its members then. Null if it has been returned again. */
const containers = new WeakMap<object, { readonly contextValue: Record<string, unknown>; readonly members: object } | null>();

/** Copies the object if `dataSources` has returned it before: a reused object has the data sources of the latest operation. */
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

function assertTakesDataSources(value: object): void {
  if (!('dataSources' in value)) return;
  throw new TypeError(
    'Expected context() to return a new object without the key "dataSources", which the option "dataSources" sets. ' +
      'Rename yours, or return a new object for every operation.',
  );
}

function assertDataSources(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value) && !isPromiseLike(value)) return value;
  // Its rejection would end the process.
  if (isPromiseLike(value)) Promise.resolve(value).catch(() => {});
  throw new TypeError(
    `Expected dataSources() to return an object of data source instances, for example { books: new BooksAPI() }, got ${describe(value)}.`,
  );
}

/** Rejects a class. Any other function may be a data source that needs no `initialize`. */
function assertInstance(name: string, value: unknown): void {
  if (typeof value === 'function' && hasInitialize(value.prototype))
    throw new TypeError(`Expected dataSources().${name} to be an instance, got a class: new ${value.name}().`);
}

interface Initializable {
  initialize(config: DataSourceConfig<unknown>): unknown;
}

function hasInitialize(value: unknown): value is Initializable {
  return typeof value === 'object' && value !== null && typeof (value as { initialize?: unknown }).initialize === 'function';
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
 * `unknown` if the context has everything that the data sources read, else a type that no options have. A data source class declares what
 * it reads with its type argument, `DataSource<{ token: string }>`.
 */
export type ContextFits<TContext, TDataSources> =
  UnfitDataSources<TContext, TDataSources> extends never
    ? unknown
    : { readonly dataSources: `context() does not return what the data source ${UnfitDataSources<TContext, TDataSources> & string} reads` };

/** The names of data sources that read more from the context than it has. */
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
