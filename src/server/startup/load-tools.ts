import type { ExplainMismatch } from '../../executor/index.ts';
import type { CheckWhole } from '../../executor/schema/index.ts';
import { messageOf } from '../../shared/index.ts';
import type { ServerStartContext } from '../operation/apollo-hooks.ts';
import type { ExplainSettings } from '../http/http-settings.ts';
import type { Logger } from '../operation/types.ts';

type Explain = NonNullable<ExplainSettings['explain']>;

/** The additional checks of development, and what its page needs. */
export interface DevelopmentChecks {
  /** Runs an operation and explains it, if its request has a certain header. */
  explain: Explain;
  /** The same options, which are watched while they are used, with the plugin `landingPage()` unless they turn the page off. */
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

/** For development: an error that names all problems of refused options with file and line, or else the command that does. */
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

/**
 * Finds the checker of whole schemas, which is in no bundle, or the reason why it is missing: undefined on platforms without files. It takes
 * text and resolvers, because it may use another copy of graphql than a bundle.
 */
export function findCheck(): CheckWhole | { readonly missing: string | undefined } {
  try {
    return (requireFromPackage('checks') as { checkWhole: CheckWhole }).checkWhole;
  } catch (error) {
    return { missing: hasPackageFiles() ? messageOf(error).split('\n', 1)[0] : undefined };
  }
}

/**
 * Runs each query also with graphql-js, and compares: for the environment variable GRAPHQL_FUNCTIONS_VERIFY. It is in no bundle. Throws in
 * one.
 */
export function createVerifier(): Explain {
  // A bundle has a copy of graphql for itself, with which the tool cannot work.
  if (packageFolder() === undefined)
    throw new Error(
      'GRAPHQL_FUNCTIONS_VERIFY is 1, but this handler was bundled, so its operations cannot be verified. Test the handler before it is ' +
        'bundled, or unset the variable.',
    );
  return (requireFromPackage('verify') as { createVerifier(): Explain }).createVerifier();
}

/**
 * Finds files of this package at run time: development tools, which must not be in a production bundle. Bundlers follow every static or
 * dynamic import, so these files are loaded by Node's `require`: from a path relative to this file, if the package runs as installed, or from
 * its sources; from the package that is installed in the project's folder, if this file is part of a bundle.
 */

/** Loads a tool of development: a folder of src/tools/. Throws if it is not found. */
function requireFromPackage(tool: string): unknown {
  const { require, extension } = origin();
  // Sources are in src/server/startup/; built files are in dist/esm/chunks/ and dist/cjs/chunks/, below the built tools.
  if (extension === '.ts') return require(`../../tools/${tool}/index.ts`);
  return require(extension === undefined ? `${folderOf(require, extension)}dist/cjs/${tool}.js` : `../${tool}${extension}`);
}

/** The path of a file in dist/; undefined without Node, or if it is not found. */
export function findBuiltFile(name: string): string | undefined {
  try {
    const { require, extension } = origin();
    const file = `${folderOf(require, extension)}dist/${name}`;
    return globalThis.process.getBuiltinModule('node:fs').existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** False on platforms whose `require` finds no files, such as Workers: tools are not found there, whatever is installed. */
export function hasPackageFiles(): boolean {
  const require = globalThis.process?.getBuiltinModule?.('node:module')?.createRequire('/') as { readonly resolve?: unknown } | undefined;
  return typeof require?.resolve === 'function';
}

/** The folder of the package, with a trailing slash; undefined if this file is part of a bundle. */
export function packageFolder(): string | undefined {
  return thisFile()
    ?.replace(/^file:\/\//, '')
    .replace(/(?:src[\\/]server[\\/]startup|dist[\\/]\w+[\\/]chunks)[\\/][^\\/]*$/, '');
}

/** `extension`: that of this package's files; undefined in a bundle. */
function origin(): { readonly require: NodeJS.Require; readonly extension: string | undefined } {
  const nodeModule = globalThis.process?.getBuiltinModule?.('node:module');
  if (nodeModule === undefined) throw new Error('this platform has no node:module');
  const file = thisFile();
  return { require: nodeModule.createRequire(file ?? `${globalThis.process.cwd()}/`), extension: file?.match(/\.[a-z]+$/)?.[0] };
}

function folderOf(require: NodeJS.Require, extension: string | undefined): string {
  return require
    .resolve(extension === undefined ? 'graphql-functions/package.json' : '../../../package.json')
    .replace(/package\.json$/, '');
}

/** This file: a path from CommonJS, a URL from ES modules. Undefined if it is part of a bundle. */
function thisFile(): string | undefined {
  try {
    // In `try`, where bundlers that have no import.meta give no warning.
    const file: string | undefined = typeof __filename === 'string' ? __filename : import.meta.url;
    return /^(?:file:|\/|[A-Za-z]:\\).*\bpackage-files\.[a-z]+$/.test(file ?? '') ? file : undefined;
  } catch {
    return undefined;
  }
}
