import { bundleOnce } from './bundle.ts';
import type { BundleSettings, CodeBundle } from './bundle.ts';
import type { FunctionSource } from './functions-folder.ts';
import type { Problem } from './problem.ts';
import { progress } from './progress.ts';
import { importUserCode } from './user-code.ts';

/** A function that was bundled and imported into this process. */
export interface LoadedFunction extends Pick<CodeBundle, 'isGraphQL' | 'files' | 'circle' | 'unbundled' | 'isMixed' | 'warnings'> {
  readonly exports: Readonly<Record<string, unknown>>;
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
  settings: BundleSettings,
): Promise<LoadedFunction> {
  const bundle = await bundleOnce(esbuild, source, settings);
  if (bundle.kind === 'problem') throw new BundleError(bundle.message, bundle.problems);
  progress.clear();
  const { code, isGraphQL, files, circle, unbundled, isMixed, warnings } = bundle;
  return {
    exports: await importUserCode({ file: source.file, code, files, circle }),
    isGraphQL,
    files,
    circle,
    unbundled,
    isMixed,
    warnings,
  };
}
