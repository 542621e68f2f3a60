import { Script } from 'node:vm';

/** A CommonJS module that has been compiled but not run. */
export interface CompiledModule {
  readonly script: Script;
  /** Runs the module and returns its exports. `load` is its `require`. */
  run(load: NodeJS.Require): Record<string, unknown>;
}

/**
 * Compiles a bundle, with V8's cached data if given. V8 rejects the cache of another version or other flags and compiles as
 * usual, but it compares only the length of the source and verifies nothing in the cache. The caller must make sure that
 * both belong together.
 */
export function compileCached(file: string, source: string, cachedData?: Uint8Array): CompiledModule {
  const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
    filename: file,
    ...(cachedData !== undefined && { cachedData }),
  });
  const run: CompiledModule['run'] = (load) => {
    const loaded = { exports: {} as Record<string, unknown> };
    const main = script.runInThisContext() as (...parts: readonly unknown[]) => void;
    main(loaded.exports, load, loaded, file, file.slice(0, file.lastIndexOf('/')));
    return loaded.exports;
  };
  return { script, run };
}
