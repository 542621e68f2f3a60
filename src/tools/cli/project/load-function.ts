import type { Plugin } from 'esbuild';

import { bundleOnce } from './bundle.ts';
import type { FunctionSource } from './functions-folder.ts';
import type { Problem } from './problem.ts';
import { progress } from './progress.ts';
import { importUserCode } from './user-code.ts';

/** A function that was bundled and imported into this process. */
export interface LoadedFunction {
  readonly exports: Readonly<Record<string, unknown>>;
  /** True when its bundle contains the graphql package. */
  readonly isGraphQL: boolean;
  /** The absolute paths of the user's files in the bundle. */
  readonly files: readonly string[];
}

/** esbuild cannot bundle a function. The message includes files and lines. */
export class BundleError extends Error {
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[]) {
    super(message);
    this.problems = problems;
  }
}

/** Bundles and imports a function. Throws a BundleError, or the error that its module throws. */
export async function loadFunction(
  esbuild: typeof import('esbuild'),
  source: FunctionSource,
  plugins: readonly Plugin[] = [],
): Promise<LoadedFunction> {
  const bundle = await bundleOnce(esbuild, source, plugins);
  if (bundle.kind === 'problem') throw new BundleError(bundle.message, bundle.problems);
  progress.clear();
  return { exports: await importUserCode(source.file, bundle.code), isGraphQL: bundle.isGraphQL, files: bundle.files };
}
