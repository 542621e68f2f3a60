import type {
  ExecutionOptions,
  GraphQLRequestListener,
  Logger,
  OperationOutcome,
  ServerListener,
  ServerPlugin,
} from '../../server/index.ts';
import { describe, editDistance, isPromiseLike } from '../../shared/index.ts';
import type { PromiseOrValue } from '../../shared/index.ts';
import { membersOf } from './data-source-check.ts';

/** A place for hooks, with the names of all its hooks. A missing name is a compile error. */
interface Level {
  readonly place: string;
  readonly hooks: readonly string[];
}

const ofPlugin: Level = {
  place: 'a plugin',
  hooks: Object.keys({
    check: true,
    serverWillStart: true,
    viewRequest: true,
    aroundRequest: true,
    aroundOperation: true,
    aroundExecution: true,
    responseWillBeSent: true,
    encodeResponse: true,
    operationDidEnd: true,
    executionWillStart: true,
    dataSourceCallDidStart: true,
    requestDidStart: true,
    contextCreationDidFail: true,
    invalidRequestWasReceived: true,
    startupDidFail: true,
  } satisfies Readonly<Record<Exclude<keyof ServerPlugin, 'position' | 'corsHeaders' | 'onlyWatches'>, true>>),
};
const ofServer: Level = {
  place: 'the object that serverWillStart returns',
  hooks: Object.keys({
    drainServer: true,
    serverWillStop: true,
    renderLandingPage: true,
  } satisfies Readonly<Record<keyof ServerListener, true>>),
};
const ofOperation: Level = {
  place: 'the object that requestDidStart returns',
  hooks: Object.keys({
    didResolveSource: true,
    parsingDidStart: true,
    validationDidStart: true,
    didResolveOperation: true,
    responseForOperation: true,
    executionDidStart: true,
    didEncounterErrors: true,
    willSendResponse: true,
    didEncounterSubsequentErrors: true,
    willSendSubsequentPayload: true,
  } satisfies Readonly<Record<keyof GraphQLRequestListener, true>>),
};
const levels = [ofPlugin, ofServer, ofOperation];

/**
 * Wraps plugins to warn about hooks that are never called because their name is misspelled or they are in the wrong place. For
 * development.
 */
export function checkPlugins(plugins: readonly ServerPlugin[], logger: Logger): ServerPlugin[] {
  const warned = new Set<string>();
  const check = (hooks: unknown, level: Level): void => {
    for (const problem of problemsIn(hooks, level)) {
      if (!warned.has(problem)) logger.warn(problem);
      warned.add(problem);
    }
  };
  return plugins.map((plugin) => {
    assertHooks(plugin);
    check(plugin, ofPlugin);
    return watch(plugin, check);
  });
}

/** Throws for a hook that is not a function. */
function assertHooks(plugin: ServerPlugin): void {
  for (const name of ofPlugin.hooks as readonly (keyof ServerPlugin)[]) {
    const hook: unknown = plugin[name];
    if (hook !== undefined && typeof hook !== 'function')
      throw new TypeError(`Expected ${name} of a plugin to be a function, got ${describe(hook)}.`);
  }
}

/** Delegates each hook when it is called. A proxy cannot do this, because for a frozen plugin it must return the original functions. */
function watch(plugin: ServerPlugin, check: (hooks: unknown, level: Level) => void): ServerPlugin {
  const returns: Readonly<Record<string, Level>> = { serverWillStart: ofServer, requestDidStart: ofOperation };
  const { position, corsHeaders, onlyWatches } = plugin;
  const watched = {
    ...(position !== undefined && { position }),
    ...(corsHeaders !== undefined && { corsHeaders }),
    ...(onlyWatches !== undefined && { onlyWatches }),
  };
  for (const name of ofPlugin.hooks as readonly (keyof ServerPlugin)[]) {
    const level = returns[name];
    const call = (...given: unknown[]): unknown => {
      const hook = plugin[name] as (...given: unknown[]) => unknown;
      const resultMember = wraps[name];
      if (resultMember === undefined) return Reflect.apply(hook, plugin, given);
      return checkAnswer(name, resultMember, Reflect.apply(hook, plugin, given));
    };
    const callExecutionWillStart = (...given: unknown[]): unknown => {
      const options = call(...given) as PromiseOrValue<ExecutionOptions | undefined>;
      return isPromiseLike(options) ? options.then(watchAround) : watchAround(options);
    };
    const callAndCheck = async (...given: unknown[]): Promise<unknown> => {
      const result = await call(...given);
      check(result, level!);
      return result;
    };
    const watchedCall = name === 'executionWillStart' ? callExecutionWillStart : level === undefined ? call : callAndCheck;
    Object.defineProperty(watched, name, { enumerable: true, get: () => plugin[name] && watchedCall });
  }
  return watched;
}

/** `around` of one execution is checked as `aroundExecution` is. */
function watchAround(options: ExecutionOptions | undefined): ExecutionOptions | undefined {
  const around = options?.around;
  if (typeof around !== 'function') return options;
  const watched: NonNullable<ExecutionOptions['around']> = (execution, next) =>
    checkAnswer('around', 'result', around(execution, next)) as Promise<OperationOutcome>;
  return { ...options, around: watched };
}

/** The member that results of wrapping hooks must have. */
const wraps: Readonly<Record<string, string>> = { aroundRequest: 'headers', aroundOperation: 'result', aroundExecution: 'result' };

/** Throws if the answer of a wrapping hook is of another shape. */
async function checkAnswer(name: string, member: string, answer: unknown): Promise<unknown> {
  const result = await answer;
  if (typeof result === 'object' && result !== null && member in result) return result;
  throw new TypeError(
    `Expected ${name} of a plugin to return the result of next(), or an object of the same shape, got ${String(result)}.`,
  );
}

function problemsIn(hooks: unknown, level: Level): string[] {
  return [...membersOf(hooks)].flatMap(([name, isMethod]) => {
    if (!isMethod || name === 'constructor' || level.hooks.includes(name)) return [];
    const right = levels.find((other) => other.hooks.includes(name));
    if (right !== undefined) return `The hook ${name} is never called: it belongs in ${right.place}, but is in ${level.place}.`;
    const near = level.hooks.find((hook) => editDistance(name.toLowerCase(), hook.toLowerCase(), maxEditDistance) <= maxEditDistance);
    return near === undefined ? [] : `"${name}" in ${level.place} is never called. Did you mean "${near}"?`;
  });
}

/** Names with more wrong letters may be other methods of the plugin. */
const maxEditDistance = 2;
