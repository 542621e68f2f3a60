import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** True when platforms find a function to call. `anyName`: on Lambda, whose settings name the export. */
export function exportsFunction(exports: Readonly<Record<string, unknown>>, anyName: boolean): boolean {
  return Object.entries(exports).some(
    ([name, value]) => /^(?:default|handler|lambda)$/.test(name) || (anyName && typeof value === 'function'),
  );
}

/** True for the project of a site on Netlify, which calls `default` and `handler` only. */
export function isNetlify(directory: string): boolean {
  return existsSync(join(directory, 'netlify.toml'));
}

/** Explains which exports a function needs. */
export function noFunctionMessage(name: string, exports: readonly string[], main?: unknown): string {
  const isObject = typeof main === 'object' && main !== null;
  const found = isObject ? `its default export is an object with the keys ${Object.keys(main).join(', ')}` : undefined;
  return (
    `Expected the function ${name} to export default (request) => Response, or handler = (event) => result; ` +
    `${found ?? `it exports ${exports.join(', ') || 'nothing'}`}. Write: export default createHandler({ … }). ` +
    'If the file is not a function, move it out of this folder, for example to graphql/: platforms deploy every file in it as a function.'
  );
}
