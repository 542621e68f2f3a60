import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

import type { Message } from 'esbuild';

import { findBuiltFile } from '../../../server/for-tools.ts';
import { didYouMean } from '../../../shared/index.ts';
import { folderOf, packageOf } from './installed-packages.ts';
import { positionAt } from '../../checks/for-cli.ts';
import type { Problem } from '../../checks/for-cli.ts';

/** A module of a package that a file of the user imports. */
export interface PackageImport {
  readonly url: string;
  readonly specifier: string;
  /** The absolute path of the user's file. */
  readonly importer: string;
}

/** Adds to a message of esbuild how to install the missing package, or which entries this package has. */
export function toUserMessage(message: Message): Message {
  const { text, location } = message;
  const [, missing] = /^Could not resolve "([^"./][^"]*)"$/.exec(text) ?? [];
  if (missing === undefined) return message;
  // For an installed package, esbuild's message says what is wrong.
  if (folderOf(packageOf(missing), dirname(resolve(location?.file ?? ''))) === undefined)
    return { ...message, text: `${text}: it is not installed. Run: npm i ${packageOf(missing)}`, notes: [] };
  return missing.startsWith('graphql-functions/') ? { ...message, text: `${text}: ${knownEntries(missing)}`, notes: [] } : message;
}

/** The entries of this package, and the one that a wrong subpath may mean: `graphql-functions/lambda` → `graphql-functions/aws-lambda`. */
function knownEntries(wrong: string): string {
  const folder = packageFolder();
  const entries = folder === undefined ? [] : Object.keys(exportsOf(folder)).filter((name) => !name.endsWith('.json'));
  const names = entries.map((name) => `graphql-functions${name.slice(1)}`);
  const subpath = wrong.slice('graphql-functions/'.length);
  const near = names.find((name) => subpath.length > 2 && name.includes(subpath));
  const hint = near === undefined ? didYouMean(wrong, names) : ` Did you mean "${near}"?`;
  return `graphql-functions has no such entry.${hint === '' ? ` It has ${names.join(', ')}.` : hint}`;
}

/**
 * Places Node's error about a name that a package does not export: it names neither the user's file nor its line. Undefined for other
 * errors.
 */
export async function explainImportError(error: unknown, packages: readonly PackageImport[]): Promise<Problem | undefined> {
  if (!(error instanceof SyntaxError)) return undefined;
  const { message } = error;
  const [, url = ''] = /The requested module '([^']+)' (?:does not provide|is a CommonJS)/.exec(message) ?? [];
  const [, name = ''] = /(?:named '|Named export ')([^']+)'/.exec(message) ?? [];
  for (const { specifier, importer } of packages.filter((one) => one.url === url)) {
    const text = await readFile(importer, 'utf8');
    const named = String.raw`\b${name}\b(?=[^;'"]*\bfrom\s*['"]${specifier.replaceAll(/\W/g, String.raw`\$&`)}['"])`;
    const at = new RegExp(named).exec(text)?.index;
    if (at === undefined) continue;
    const advice = `If it is a CommonJS module, Node cannot see this name. Write: import all from '${specifier}'; const { ${name} } = all;`;
    const explained = specifier.startsWith('graphql-functions')
      ? wrongEntry(specifier, name)
      : `"${specifier}" does not export ${name}. ${advice}`;
    return { file: importer, ...positionAt(text, at), message: explained };
  }
  return undefined;
}

/** Names the entry, or the package, that exports a name that was imported from another entry of this package. */
function wrongEntry(specifier: string, name: string): string {
  const folder = packageFolder();
  const entry = isOfGraphQL(name) ? 'graphql' : folder && entryThatExports(name, folder);
  const message = `No matching export in "${specifier}" for import "${name}"`;
  return entry === undefined ? message : `${message}: import it from "${entry}"`;
}

interface Exports {
  readonly [subpath: string]: string | { readonly import?: string };
}

function exportsOf(folder: string): Exports {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly exports: Exports }).exports;
}

/** The folder of this package. Undefined when it cannot be found. */
export function packageFolder(): string | undefined {
  const built = findBuiltFile('esm/index.js');
  return built && join(dirname(built), '../..');
}

/** True when graphql exports a name. Loads graphql only for this message. */
function isOfGraphQL(name: string): boolean {
  return name in (createRequire(import.meta.url)('graphql') as object);
}

/** The first entry of this package that exports a name: `UserInputError` → `graphql-functions/v3`. Undefined when none does. */
function entryThatExports(name: string, folder: string): string | undefined {
  for (const [subpath, entry] of Object.entries(exportsOf(folder))) {
    const file = typeof entry === 'string' ? undefined : entry.import;
    if (file !== undefined && namesIn(join(folder, file)).includes(name)) return `graphql-functions${subpath.slice(1)}`;
  }
  return undefined;
}

/** The exports of a built module, which lists them at its end. */
function namesIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const lists = [...readFileSync(file, 'utf8').matchAll(/^export \{([^}]*)\}/gm)];
  return lists.flatMap(([, list = '']) => list.split(',').map((name) => name.trim().replace(/^.* as /, '')));
}
