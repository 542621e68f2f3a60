import { describe, didYouMean, editDistance, isPlainObject } from '../../shared/index.ts';
import type { Logger } from '../../server/index.ts';

/** The members that subclasses of DataSource and RESTDataSource may override. A misspelled name is never read. */
const methods: readonly string[] = ['initialize'];
const restMethods: readonly string[] = [
  ...methods,
  'willSendRequest',
  'resolveURL',
  'cacheKeyFor',
  'cacheOptionsFor',
  'didReceiveResponse',
  'didEncounterError',
  'parseBody',
  'errorFromResponse',
];
const restProperties: readonly string[] = ['baseURL', 'memoizeGetRequests', 'maxResponseBytes', 'shareableHeaders', 'cacheIdentity'];

/** Methods of other versions of the class, which are never called here. */
const elsewhere: Readonly<Record<string, string>> = {
  requestDeduplicationPolicyFor: 'Set memoizeGetRequests, or override cacheKeyFor.',
  throwIfResponseIsError: 'Override didReceiveResponse, or errorFromResponse if you only change the error.',
  shouldJSONSerializeBody: 'Pass the body as text, with its content-type.',
  catchCacheWritePromiseErrors: 'Failed cache writes do not fail a call; their errors are logged.',
};

/** The number of parameters of hooks here. In later versions, the path or URL is an additional first parameter. */
const parameters: Readonly<Record<string, number>> = { willSendRequest: 1, resolveURL: 1, cacheKeyFor: 1, cacheOptionsFor: 2 };

/** Allows two wrong letters in a long name and one in a shorter one. Other names may be the user's, such as `parseBook`. */
function isNear(name: string, known: string): boolean {
  const maxEditDistance = known.length > 12 ? 2 : known.length > 8 ? 1 : 0;
  return editDistance(name.toLowerCase(), known.toLowerCase(), maxEditDistance) <= maxEditDistance;
}

/**
 * Warns once about each data source that does not work as intended: entries without a value, an `initialize` without `super`, and
 * members that are never called because their name is misspelled or from another version. For development.
 */
export function checkDataSources(dataSources: Readonly<Record<string, unknown>>, logger: Logger): void {
  for (const [name, value] of Object.entries(dataSources)) {
    const problems = typeof value === 'object' && value !== null ? problemsIn(name, value) : [missing(name, value)];
    for (const problem of problems) warnOnce(logger, problem);
  }
}

/** Names that are read of any object: by `await`, and by JSON.stringify. */
const readOfAll: readonly string[] = ['then', 'toJSON'];

/**
 * Warns once about each name that is read but that `dataSources` has not returned: the resolver's error would name only a property of
 * undefined.
 */
export function watchDataSources(dataSources: Readonly<Record<string, unknown>>, logger: Logger): Readonly<Record<string, unknown>> {
  // A method of a class instance could not read private members of its proxy.
  if (!isPlainObject(dataSources)) return dataSources;
  return new Proxy(dataSources, {
    get(target, name, receiver) {
      if (typeof name === 'string' && !(name in target) && !readOfAll.includes(name)) warnOnce(logger, unknownName(name, target));
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

function unknownName(name: string, dataSources: object): string {
  const known = Object.keys(dataSources);
  const returned = known.length === 0 ? 'nothing' : `only ${known.join(', ')}`;
  return `dataSources.${name} was read, but dataSources() returned ${returned}.${didYouMean(name, known)}`;
}

function missing(name: string, value: unknown): string {
  return value === undefined || value === null
    ? `dataSources().${name} is ${value}. Resolvers that read it fail: "Cannot read properties of ${value}".`
    : '';
}

/** The source may be a proxy whose traps throw, but a check must not fail the operation. */
function problemsIn(name: string, source: object): string[] {
  try {
    return problemsOf(name, source);
  } catch {
    return [];
  }
}

function problemsOf(name: string, source: object): string[] {
  if (source instanceof Promise)
    return [`dataSources().${name} is a promise. Await it first, for example in a function that returns the options.`];
  const isREST = 'willSendRequest' in source && 'memoizeGetRequests' in source;
  return [...withoutSuper(name, source, isREST), ...misspelled(name, source, isREST), ...(isREST ? otherParameters(name, source) : [])];
}

function otherParameters(name: string, source: object): string[] {
  return Object.entries(parameters).flatMap(([hook, count]) => {
    const method: unknown = Reflect.get(source, hook);
    if (typeof method !== 'function' || method.length <= count) return [];
    return `${hook} of the data source "${name}" takes ${method.length} parameters, but receives ${hook === 'cacheOptionsFor' ? 'the response and the request' : 'only the request'}.`;
  });
}

/** Only DataSource's `initialize` sets the property `context`. */
function withoutSuper(name: string, source: object, isREST: boolean): string[] {
  const base = baseOf(source);
  if (base === undefined || 'context' in source) return [];
  return [
    `initialize of the data source "${name}" does not call super.initialize(config), so the data source has no context${isREST ? ' and caches no responses' : ''}.`,
  ];
}

/** The base class with `initialize`, if it is this package's, which assigns `context`. */
function baseOf(source: object): object | undefined {
  let base: object | undefined;
  for (let at: unknown = source; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, 'initialize')) base = at;
  return base !== undefined && /\.context\s*=\s*\w+\.context/.test(String(Reflect.get(base, 'initialize'))) ? base : undefined;
}

function misspelled(name: string, source: object, isREST: boolean): string[] {
  const label = `of the data source "${name}"`;
  return [...membersOf(source)].flatMap(([member, isMethod]) => {
    if (isREST && Object.hasOwn(elsewhere, member)) return `${member} ${label} is never called here. ${elsewhere[member]}`;
    const known = isREST ? (isMethod ? restMethods : restProperties) : isMethod ? methods : [];
    if (known.includes(member)) return [];
    const near = known.find((hook) => isNear(member, hook));
    return near === undefined ? [] : `${member} ${label} is never ${isMethod ? 'called' : 'read'}. Did you mean "${near}"?`;
  });
}

/** The members of an object and its classes, and whether each is a method. Getters are not called. */
export function membersOf(source: unknown): Map<string, boolean> {
  const members = new Map<string, boolean>();
  for (let at = source; typeof at === 'object' && at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) members.set(name, typeof value === 'function');
  return members;
}

const options: readonly string[] = ['httpFetch', 'now'];
/** Options of other versions, and common mistakes. */
const notOptions: Readonly<Record<string, string>> = {
  baseURL: 'baseURL is a property: write override baseURL = "https://…" in the class.',
  cache: 'The server passes its cache to each data source: set the option cache of createHandler.',
  fetch: 'Did you mean "httpFetch"?',
  logger: 'Remove it.',
  context: 'The server sets this.context.',
};

/** Warns about unknown options of RESTDataSource's constructor. */
export function checkDataSourceOptions(given: object, logger: Logger): void {
  if (typeof given !== 'object' || given === null) {
    warnOnce(logger, `The constructor of RESTDataSource takes { httpFetch }, got ${describe(given)}. ${notOptions['baseURL']}`);
    return;
  }
  for (const name of Object.keys(given)) {
    const near = options.find((option) => isNear(name, option));
    const hint = notOptions[name] ?? (near === undefined ? undefined : `Did you mean "${near}"?`);
    // Subclasses may pass on additional options.
    if (!options.includes(name) && hint !== undefined) warnOnce(logger, `RESTDataSource has no option "${name}". ${hint}`);
  }
}

const warned = new WeakMap<Logger, Set<string>>();

function warnOnce(logger: Logger, message: string): void {
  const known = warned.get(logger) ?? new Set();
  warned.set(logger, known);
  if (message !== '' && !known.has(message)) logger.warn(message);
  known.add(message);
}
