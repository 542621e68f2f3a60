import { findBuiltFile } from '../own-package.ts';

/** The playground as scripts/playground.ts made it, in base64. Undefined where it is not to be found: without Node, or away from the installed package. */
export function readPlayground(): string | undefined {
  try {
    const file = findBuiltFile('playground.gz');
    return file === undefined ? undefined : process.getBuiltinModule('node:fs').readFileSync(file, 'base64');
  } catch {
    // Platforms that have some of Node: no require, or no files.
    return undefined;
  }
}
