import { findBuiltFile } from '../../server/for-tools.ts';

/** The content of the playground's files: gzip in base64. */
export interface PackedPlayground {
  readonly script: string;
  readonly style: string;
  readonly worker: string;
}

/** Reads the files that scripts/playground.ts has built. Undefined if they cannot be found: without Node, or outside of the installed package. */
export function readPlayground(): PackedPlayground | undefined {
  try {
    const folder = findBuiltFile('playground');
    if (folder === undefined) return undefined;
    const { readFileSync } = globalThis.process.getBuiltinModule('node:fs');
    const read = (name: string): string => readFileSync(`${folder}/${name}.gz`, 'base64');
    return { script: read('main.js'), style: read('style.css'), worker: read('worker.js') };
  } catch {
    // Some platforms support only parts of Node: no require, or no files.
    return undefined;
  }
}
