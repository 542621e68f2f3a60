import { editDistance } from '../../shared/index.ts';
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

/** Allows two wrong letters in a long name and one in a shorter one. Other names may be the user's, such as `parseBook`. */
function isNear(name: string, known: string): boolean {
  const maxEditDistance = known.length > 12 ? 2 : known.length > 8 ? 1 : 0;
  return editDistance(name.toLowerCase(), known.toLowerCase(), maxEditDistance) <= maxEditDistance;
}

/**
 * Warns once about each data source that does not work as intended: an `initialize` without `super`, and members that are never called
 * because their name is misspelled or from another version. For development.
 */
export function checkDataSources(dataSources: Readonly<Record<string, unknown>>, logger: Logger): void {
  for (const [name, value] of Object.entries(dataSources)) {
    if (typeof value !== 'object' || value === null) continue;
    for (const problem of problemsIn(name, value)) warnOnce(logger, problem);
  }
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
  const isREST = 'willSendRequest' in source && 'memoizeGetRequests' in source;
  const problems = misspelled(name, source, isREST);
  // Only the base class sets the property `context`.
  if (isREST && !('context' in source))
    problems.push(
      `initialize of the data source "${name}" does not call super.initialize(config), so the data source has no context and caches no responses.`,
    );
  return problems;
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
function membersOf(source: unknown): Map<string, boolean> {
  const members = new Map<string, boolean>();
  for (let at = source; typeof at === 'object' && at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) members.set(name, typeof value === 'function');
  return members;
}

const warned = new WeakMap<Logger, Set<string>>();

function warnOnce(logger: Logger, message: string): void {
  const known = warned.get(logger) ?? new Set();
  warned.set(logger, known);
  if (!known.has(message)) logger.warn(message);
  known.add(message);
}
