import type { GraphQLSchema } from 'graphql';

import type { Logger, ServerPlugin } from '../../server/index.ts';
import { describe, isPlainObject } from '../../shared/index.ts';
import { findOptionProblems } from './option-check.ts';
import type { OptionsToCheck } from './option-check.ts';

/** The options whose functions are watched. */
interface Watched {
  readonly context?: ((argument: never) => unknown) | undefined;
  readonly plugins?: readonly ServerPlugin[] | undefined;
  readonly landingPage?: boolean | undefined;
}

/**
 * Wraps the functions of options to warn about mistakes that production ignores silently, and adds the page for browsers. For development.
 */
export function watchOptions<TOptions extends Watched>(options: TOptions, logger: Logger): TOptions {
  const { context, plugins = [] } = options;
  return {
    ...options,
    ...(context && { context: watchContext(context as MakeContext, logger) }),
    ...(options.landingPage !== false && { plugins: [...plugins, defaultPage] }),
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

type MakeContext = (argument: unknown) => unknown;

/** Wraps a `context` function to warn once about a class instance that two operations share. */
function watchContext(context: MakeContext, logger: Logger): MakeContext {
  const served = new WeakSet<object>();
  let hasWarned = false;
  const check = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || isPlainObject(value)) return value;
    if (served.has(value) && !hasWarned) {
      hasWarned = true;
      logger.warn(sharedInstance(value));
    }
    served.add(value);
    return value;
  };
  return (argument) => {
    const made = context(argument);
    return made instanceof Promise ? made.then(check) : check(made);
  };
}

function sharedInstance(value: object): string {
  return (
    `context() returned the same ${describe(value).replace(/^an? /, '')} for two operations. Both can read and write it, ` +
    'and they may belong to different users: return a new instance every time. Plain objects are copied for each operation.'
  );
}
