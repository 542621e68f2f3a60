import { findBuiltFile } from '../own-package.ts';

/** The files of the playground as scripts/playground.ts made them. Each name has a hash of what is in it. */
export interface PlaygroundFiles {
  readonly folder: string;
  readonly script: string;
  readonly style: string;
  readonly worker: string;
}

/** Under this path the dev server has the files, for pages that its functions make. */
export const playgroundPath = '/.graphql-functions/playground/';

/** A dev server sets it in the threads of its functions, to the names of the files that it has. */
export const playgroundMark: unique symbol = Symbol.for('graphql-functions.playground') as never;

/** Undefined where they are not to be found: without Node, or away from the installed package. */
export function findPlayground(): PlaygroundFiles | undefined {
  try {
    const folder = findBuiltFile('playground');
    if (folder === undefined) return undefined;
    const names = process.getBuiltinModule('node:fs').readdirSync(folder);
    const [script, style, worker] = ['main-', 'style-', 'worker-'].map((start) => names.find((name) => name.startsWith(start)));
    if (script === undefined || style === undefined || worker === undefined) return undefined;
    return { folder, script: withoutGz(script), style: withoutGz(style), worker: withoutGz(worker) };
  } catch {
    // Platforms that have some of Node: no require, or no files.
    return undefined;
  }
}

/** Where browsers get the files. Undefined: from nowhere but the page. */
export function addressOf({ script }: PlaygroundFiles): string | undefined {
  const served = (globalThis as { [playgroundMark]?: readonly string[] })[playgroundMark];
  return served?.includes(script) === true ? playgroundPath : undefined;
}

/** Their content, compressed by gzip, in base64. */
export function readPacked({ folder, script, style, worker }: PlaygroundFiles): Record<'script' | 'style' | 'worker', string> {
  const read = (name: string): string => process.getBuiltinModule('node:fs').readFileSync(`${folder}/${name}.gz`, 'base64');
  return { script: read(script), style: read(style), worker: read(worker) };
}

function withoutGz(name: string): string {
  return name.replace(/\.gz$/, '');
}
