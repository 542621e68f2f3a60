import { findBuiltFile } from '../../server/for-tools.ts';

/** The playground's files, built by scripts/playground.ts. Each name contains a hash of the content. */
export interface PlaygroundFiles {
  readonly folder: string;
  readonly script: string;
  readonly style: string;
  readonly worker: string;
}

/** The dev server serves the files under this path, for the pages of its functions. */
export const playgroundPath = '/.graphql-functions/playground/';

/** The dev server sets this global in its functions' threads to the names of the files that it serves. */
export const playgroundMark: unique symbol = Symbol.for('graphql-functions.playground') as never;

/** The folder of the files. Undefined if they cannot be found: without Node, or outside of the installed package. */
export function findPlayground(): PlaygroundFiles | undefined {
  try {
    const folder = findBuiltFile('playground');
    if (folder === undefined) return undefined;
    const names = globalThis.process.getBuiltinModule('node:fs').readdirSync(folder);
    const [script, style, worker] = ['main-', 'style-', 'worker-'].map((start) => names.find((name) => name.startsWith(start)));
    if (script === undefined || style === undefined || worker === undefined) return undefined;
    return { folder, script: withoutGz(script), style: withoutGz(style), worker: withoutGz(worker) };
  } catch {
    // Some platforms support only parts of Node: no require, or no files.
    return undefined;
  }
}

/** The URLs of the files. Undefined: they must be inlined in the page. */
export function addressOf({ script }: PlaygroundFiles): string | undefined {
  const served = (globalThis as { [playgroundMark]?: readonly string[] })[playgroundMark];
  return served?.includes(script) === true ? playgroundPath : undefined;
}

/** The content of the playground's files: gzip in base64. */
export interface PackedPlayground {
  readonly script: string;
  readonly style: string;
  readonly worker: string;
}

export function readPacked({ folder, script, style, worker }: PlaygroundFiles): PackedPlayground {
  const read = (name: string): string => globalThis.process.getBuiltinModule('node:fs').readFileSync(`${folder}/${name}.gz`, 'base64');
  return { script: read(script), style: read(style), worker: read(worker) };
}

function withoutGz(name: string): string {
  return name.replace(/\.gz$/, '');
}
