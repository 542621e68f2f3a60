import { basename, relative } from 'node:path';

import type { FunctionSource } from './functions-folder.ts';

/** A file of the functions folder, bundled. */
export interface BundledFile {
  readonly source: FunctionSource;
  /** The names that it exports. */
  readonly exports: readonly string[];
  /** The user's files in its bundle, absolute. */
  readonly files: readonly string[];
  /** True when its bundle holds the graphql package. */
  readonly isGraphQL: boolean;
}

/** True when platforms find a function to call: a default export, or an export with one of these names. */
export function exportsFunction(exports: readonly string[]): boolean {
  return exports.some((name) => name === 'default' || name === 'handler' || name === 'lambda');
}

/**
 * True when a file without an exported function is meant for other files: one of them imports it, or it has only types.
 * Otherwise it is a function whose author forgot to export it.
 */
export function isHelper(file: BundledFile, all: readonly BundledFile[]): boolean {
  return importersOf(file, all).length > 0 || (file.exports.length === 0 && !file.isGraphQL);
}

/** Advice for a file that exports no function. */
export function helperNotice(file: BundledFile, all: readonly BundledFile[], directory: string): string {
  const importers = importersOf(file, all).map(({ source }) => source.name);
  const why = importers.length === 0 ? 'it exports no function' : `it exports no function, and ${importers.join(', ')} imports it`;
  return (
    `${relative(directory, file.source.file)} is not served: ${why}. Platforms deploy every file of this folder as a function: ` +
    `move it out, for example to graphql/${basename(file.source.file)}.`
  );
}

/** The exports that a function needs. */
export function noFunctionMessage(name: string, exports: readonly string[], main?: unknown): string {
  const isObject = typeof main === 'object' && main !== null;
  const found = isObject ? `its default export is an object with the keys ${Object.keys(main).join(', ')}` : undefined;
  return (
    `Expected the function ${name} to export default (request) => Response, or handler = (event) => result; ` +
    `${found ?? `it exports ${exports.join(', ') || 'nothing'}`}. ` +
    `Write: export default createHandler({ … }). A file that is not a function is better off outside of this folder, for example in graphql/.`
  );
}

function importersOf({ source }: BundledFile, all: readonly BundledFile[]): BundledFile[] {
  return all.filter((other) => other.source !== source && other.source.name !== source.name && other.files.includes(source.file));
}
