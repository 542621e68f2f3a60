import type { ExplainMismatch } from '../../executor/index.ts';
import type { CheckWhole } from '../../executor/schema/index.ts';
import { messageOf } from '../../shared/index.ts';
import type { ServerStartContext } from '../operation/server-start.ts';
import { hasPackageFiles, isBundled, requireFromPackage } from './package-files.ts';
import type { HTTPSettings } from '../doors/http-settings.ts';
import type { Logger } from '../operation/types.ts';

type Explain = NonNullable<HTTPSettings['explain']>;

/** The additional checks of development, and the tools of its page. */
export interface DevelopmentChecks {
  /** Runs an operation and explains it, if its request has a certain header. */
  explain: Explain;
  /**
   * Returns options that warn about mistakes while they are used, with the plugin `landingPage()` unless the given options turn the page
   * off.
   */
  watchOptions<TOptions extends object>(options: TOptions, logger: Logger): TOptions;
  /** Names the likely cause of a null in a non-null field, or of a value that is not a list. */
  explainMismatch: ExplainMismatch;
  warnOfOptions(options: object, schema: ServerStartContext['schema'], logger: Logger): void;
  /** The error for options that a server refused, with all problems. `called`: an error from the call of createHandler, if it has returned. */
  explainRefusal(error: unknown, options: unknown, called: Error | undefined): unknown;
}

/** The checks of development; undefined if they are not found, or of another version than the bundle. */
export function findChecks(): DevelopmentChecks | undefined {
  try {
    const checks = requireFromPackage('checks') as Partial<DevelopmentChecks>;
    return checks.watchOptions && (checks as DevelopmentChecks);
  } catch {
    return undefined;
  }
}

/** Makes the error of development for refused options: it names all problems with file and line, or else the command that names them. */
export function explainRefusal(error: unknown, options: unknown, called: Error | undefined): unknown {
  const checks = findChecks();
  try {
    if (checks !== undefined) return checks.explainRefusal(error, options, called);
  } catch {
    // The files of a stack may not exist, or options may throw when they are read.
    return error;
  }
  return new Error(`${messageOf(error)} To see all problems with file and line, run: npx graphql-functions check`, { cause: error });
}

/** Finds the checker of whole schemas, which is in no bundle, or the reason why it is missing: undefined on platforms without files. */
export function findCheck(): CheckWhole | { readonly missing: string | undefined } {
  try {
    return (requireFromPackage('checks') as { checkWhole: CheckWhole }).checkWhole;
  } catch (error) {
    return { missing: hasPackageFiles() ? messageOf(error).split('\n', 1)[0] : undefined };
  }
}

/**
 * Runs each query also with graphql-js, and compares: for the environment variable GRAPHQL_FUNCTIONS_VERIFY. No bundle contains it, so it
 * throws in a bundle.
 */
export function createVerifier(): Explain {
  // A bundle has a copy of graphql for itself, with which the tool cannot work.
  if (isBundled())
    throw new Error(
      'GRAPHQL_FUNCTIONS_VERIFY is 1, but this handler was bundled, so its operations cannot be verified. Test the handler before it is ' +
        'bundled, or unset the variable.',
    );
  return (requireFromPackage('verify') as { createVerifier(): Explain }).createVerifier();
}
