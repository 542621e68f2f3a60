import { Script } from 'node:vm';

/** A CommonJS module that has been compiled, and not yet run. */
export interface CompiledModule {
  readonly script: Script;
  /** Runs it, and returns what it exports. `load` is its `require`. */
  run(load: NodeJS.Require): Record<string, unknown>;
}

/**
 * Compiles a bundle, with what V8 remembers of compiling it, if that is given. V8 rejects a cache of another version or
 * other flags of its own, and compiles as ever; but of the source it compares the length alone, and of the cache's bytes
 * nothing. The caller must know that both belong together.
 */
export function compileCached(file: string, source: string, cachedData?: Uint8Array): CompiledModule {
  const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
    filename: file,
    ...(cachedData !== undefined && { cachedData }),
  });
  const run: CompiledModule['run'] = (load) => {
    const own = { exports: {} as Record<string, unknown> };
    const main = script.runInThisContext() as (...parts: readonly unknown[]) => void;
    main(own.exports, load, own, file, file.slice(0, file.lastIndexOf('/')));
    return own.exports;
  };
  return { script, run };
}
