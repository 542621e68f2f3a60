import type { OperationInvocation } from '../message/invocation.ts';
import type { DataSource, DataSourceConfig, DataSourceOperation, WatchCall } from '../datasource/data-source.ts';
import type { KeyValueCache } from '../cache/key-value-cache.ts';
import type { Eventual } from '../message/eventual.ts';
import { describe } from '../message/describe.ts';
import { copyOfReturned, isPlainObject, isRecord } from '../message/plain-object.ts';
import type { Logger } from './types.ts';

/** The settings for making a context value. */
export interface ContextSettings {
  /** The user's `context` function. Unset: an empty object. */
  readonly context: ((argument: never) => unknown) | undefined;
  readonly dataSources: (() => Readonly<Record<string, unknown>>) | undefined;
  readonly cache: KeyValueCache;
  readonly logger: Logger;
  /** In development a data source instance that serves two operations is an error, elsewhere it is warned of once. */
  readonly development: boolean;
  /** Looks for mistakes in data sources. Undefined: not in development. */
  readonly checks: DataSourceChecks | undefined;
}

/** Warns of what looks like a mistake. */
export interface DataSourceChecks {
  checkDataSources(dataSources: Readonly<Record<string, unknown>>, logger: Logger): void;
  /** Looks at what the constructor of a data source was given. */
  checkDataSourceOptions(given: object, logger: Logger): void;
}

/**
 * The context value of one operation: what `context` returns, with fresh data sources under `dataSources`.
 * Returns a promise only when something asynchronous takes part.
 */
export function createContextValue(settings: ContextSettings, input: ContextInput): Eventual<unknown> {
  if (settings.context === undefined) return complete(settings, {}, input);
  const value: unknown = settings.context(input.contextArgument as never);
  return isPromise(value) ? ownLater(settings, value, input) : own(settings, value, input);
}

async function ownLater(settings: ContextSettings, value: Promise<unknown>, input: ContextInput): Promise<unknown> {
  return own(settings, await value, input);
}

/** The operation's own input for its context value. */
export interface ContextInput {
  /** Handed on to `context`, unread. */
  readonly contextArgument: unknown;
  readonly invocation: OperationInvocation;
  /** Undefined: the calls of data sources are not followed. */
  readonly watchCall?: WatchCall | undefined;
}

function own(settings: ContextSettings, value: unknown, input: ContextInput): Eventual<unknown> {
  assertObject(value);
  return complete(settings, ownValue(settings, value), input);
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function complete(settings: ContextSettings, value: Record<string, unknown>, input: ContextInput): Eventual<unknown> {
  return settings.dataSources === undefined ? value : attachDataSources(settings, value, input);
}

/** A forgotten `return` would otherwise show up in some resolver, as a property of undefined. */
function assertObject(value: unknown): asserts value is Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return;
  throw new TypeError(`Expected context() to return an object, for example { user }, got ${describe(value)}.`);
}

/**
 * The operation's own context value. A `context` function may return the same object every time: what one operation writes to it,
 * as who is logged in, would be there for the next. So a plain object is copied, its values are not. An instance of a class is
 * handed on as it is, for a copy would be without its private members.
 */
function ownValue({ context }: ContextSettings, value: Record<string, unknown>): Record<string, unknown> {
  return isPlainObject(value) ? copyOfReturned(value, context!) : value;
}

async function attachDataSources(settings: ContextSettings, contextValue: Record<string, unknown>, input: ContextInput): Promise<unknown> {
  assertTakesDataSources(contextValue);
  const returned = assertDataSources(settings.dataSources?.());
  const dataSources = ownSources(returned, contextValue);
  const { invocation, watchCall } = input;
  const operation = new OperationLife(invocation);
  const { cache, checks, logger } = settings;
  const warn = checks && ((message: string): void => logger.warn(message));
  const checkOptions = checks && ((given: object): void => checks.checkDataSourceOptions(given, logger));
  const config: DataSourceConfig<unknown> = { context: contextValue, cache, operation, watchCall, warn, checkOptions };
  // Asynchronous also for those that are not: one that throws at once must not leave another's rejection unhandled.
  const initialising = Object.entries(dataSources).map(async ([name, dataSource]) => {
    if (hasInitialize(dataSource)) {
      assertFresh(settings, name, dataSource);
      await dataSource.initialize(config);
    } else assertInstance(name, dataSource);
  });
  // Assigned before the wait: a data source's initialize may look at its siblings through the context.
  contextValue['dataSources'] = dataSources;
  await Promise.all(initialising);
  checks?.checkDataSources(dataSources, logger);
  return contextValue;
}

/** By the object that `dataSources` returned: the operation that has it, and its members then. Null: it has come again since. */
const containers = new WeakMap<object, { readonly contextValue: Record<string, unknown>; readonly members: object } | null>();

/**
 * The object that was returned. One that comes again was filled in anew, and holds the data sources of the last operation: from then
 * on each operation has a copy, the first one too.
 */
function ownSources(returned: Readonly<Record<string, unknown>>, contextValue: Record<string, unknown>): Readonly<Record<string, unknown>> {
  if (!isPlainObject(returned)) return returned;
  const known = containers.get(returned);
  containers.set(returned, known === undefined ? { contextValue, members: { ...returned } } : null);
  if (known) Reflect.set(known.contextValue, 'dataSources', known.members);
  return known === undefined ? returned : { ...returned };
}

/** Without the event and the platform's objects: what says who asks is read from the context, where plugins notice it. */
class OperationLife implements DataSourceOperation, Pick<OperationInvocation, 'deadlineLeft'> {
  readonly #invocation: OperationInvocation;

  constructor(invocation: OperationInvocation) {
    this.#invocation = invocation;
  }

  get signal(): AbortSignal {
    return this.#invocation.signal;
  }

  waitUntil(work: Promise<unknown>): void {
    this.#invocation.waitUntil(work);
  }

  deadlineLeft(): number | undefined {
    return this.#invocation.deadlineLeft();
  }
}

function assertTakesDataSources(value: object): void {
  if (!('dataSources' in value)) return;
  throw new TypeError(
    'Expected context() to return a new object without the key "dataSources", which the option of this name sets. ' +
      'Rename yours, or return a new object for every operation.',
  );
}

function assertDataSources(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value) && !isPromise(value)) return value;
  throw new TypeError(
    `Expected dataSources() to return an object of data source instances, for example { books: new BooksAPI() }, got ${describe(value)}.`,
  );
}

/** A class is a mistake; any other function may be a data source that needs nothing of the operation. */
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

/** Every data source that ever served an operation. Weak: it keeps none alive. */
const served = new WeakSet<object>();
const warned = new WeakSet<Logger>();

/** Data source rule 3: an instance shared by two operations mixes their answers, so that one user may see another's. */
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
    `The data source "${name}" was used in an operation before. dataSources() must create a new instance for every ` +
    `operation, for example dataSources: () => ({ ${name}: new ${dataSource.constructor.name}() }): a shared one mixes the answers of different users.`;
  if (development) throw new Error(message);
  if (warned.has(logger)) return;
  warned.add(logger);
  logger.warn(message);
}

/** The context value that resolvers get: what `context` returned, with the data sources. */
export type ContextValue<TContext, TDataSources> = TContext & { readonly dataSources: TDataSources };

/**
 * Anything when the context is enough for the data sources, else what no options are. A data source class says what it
 * reads by its type argument, `DataSource<{ token: string }>`; one that gets less would find undefined there.
 */
export type ContextFits<TContext, TDataSources> =
  UnfitDataSources<TContext, TDataSources> extends never
    ? unknown
    : { readonly dataSources: `context() does not return what the data source ${UnfitDataSources<TContext, TDataSources> & string} reads` };

/** The names of data sources that read more from the context than there is. */
type UnfitDataSources<TContext, TDataSources> = {
  [Name in keyof TDataSources]: TDataSources[Name] extends DataSource<infer TNeeded>
    ? // `object` is what a context is taken for until its function has been looked at.
      object extends TContext
      ? never
      : ContextValue<TContext, TDataSources> extends TNeeded
        ? never
        : Name
    : never;
}[keyof TDataSources];
