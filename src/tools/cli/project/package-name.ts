import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** "@scope/name/file" → "@scope/name". */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The folder of a package that code in a folder imports. Undefined when it is not installed. */
export function folderOf(name: string, directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    // Some package managers link packages, whose own dependencies are beside the link's target.
    if (existsSync(join(folder, 'package.json'))) return realpathSync(folder);
    if (at === dirname(at)) return undefined;
  }
}
