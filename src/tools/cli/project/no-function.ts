import { basename, relative } from 'node:path';

import type { FunctionSource } from './functions-folder.ts';

/** A bundled file of the functions folder. */
export interface BundledFile {
  readonly source: FunctionSource;
  /** The names of its exports. */
  readonly exports: readonly string[];
  /** The absolute paths of the user's files in its bundle. */
  readonly files: readonly string[];
  /** True when its bundle contains the graphql package. */
  readonly isGraphQL: boolean;
}

/** True when platforms find a function to call. */
export function exportsFunction(exports: readonly string[]): boolean {
  return exports.some((name) => name === 'default' || name === 'handler' || name === 'lambda');
}

/**
 * True when a file without an exported function is a helper: another file imports it, or it contains only types.
 * Otherwise its author probably forgot to export the function.
 */
export function isHelper(file: BundledFile, all: readonly BundledFile[]): boolean {
  return importersOf(file, all).length > 0 || (file.exports.length === 0 && !file.isGraphQL);
}

/** Advice for a file that exports no function. */
export function helperNotice(file: BundledFile, all: readonly BundledFile[], directory: string): string {
  const importers = importersOf(file, all).map(({ source }) => source.name);
  const why = importers.length === 0 ? 'it exports no function' : `it exports no function, and ${importers.join(', ')} imports it`;
  return (
    `${relative(directory, file.source.file)} is not served: ${why}. Platforms deploy every file in this folder as a function: ` +
    `move it out, for example to graphql/${basename(file.source.file)}.`
  );
}

/** Explains which exports a function needs. */
export function noFunctionMessage(name: string, exports: readonly string[], main?: unknown): string {
  const isObject = typeof main === 'object' && main !== null;
  const found = isObject ? `its default export is an object with the keys ${Object.keys(main).join(', ')}` : undefined;
  return (
    `Expected the function ${name} to export default (request) => Response, or handler = (event) => result; ` +
    `${found ?? `it exports ${exports.join(', ') || 'nothing'}`}. ` +
    `Write: export default createHandler({ … }). If the file is not a function, move it out of this folder, for example to graphql/.`
  );
}

function importersOf({ source }: BundledFile, all: readonly BundledFile[]): BundledFile[] {
  return all.filter((other) => other.source !== source && other.source.name !== source.name && other.files.includes(source.file));
}
