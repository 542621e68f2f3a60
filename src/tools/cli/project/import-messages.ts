import { readFile } from 'node:fs/promises';

import type { Message } from 'esbuild';

import { didYouMean } from '../../../shared/index.ts';
import { packageRoot } from '../requirements.ts';
import { packageOf } from './package-name.ts';
import { positionAt } from '../../checks/for-cli.ts';
import type { Problem } from '../../checks/for-cli.ts';

/** A module of a package that a file of the user imports. */
export interface PackageImport {
  readonly url: string;
  readonly specifier: string;
  /** The absolute path of the user's file. */
  readonly importer: string;
}

/** Adds to a message of esbuild how to install the missing package. For an installed one, the message says what is wrong. */
export function toUserMessage(message: Message): Message {
  const { text, notes } = message;
  const [, missing] = /^Could not resolve "([^"]+)"$/.exec(text) ?? [];
  if (missing === undefined) return message;
  const name = packageOf(missing);
  const isInstalled = notes.some((note) => note.text.includes(' is not exported by '));
  const ofPackage = isInstalled ? `${name} has no such entry` : `it is not installed. Run: npm i ${name}`;
  return { ...message, text: `${text}: ${/^[./]/.test(missing) ? 'there is no such file. Correct the path' : ofPackage}`, notes: [] };
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
    const advice = specifier.startsWith('graphql-functions')
      ? await entryOf(name, url)
      : ` If it is a CommonJS module, Node cannot see this name. Write: import all from '${specifier}'; const { ${name} } = all;`;
    return { file: importer, ...positionAt(text, at), message: `"${specifier}" does not export ${name}.${advice}` };
  }
  return undefined;
}

/**
 * Says where to import a name that an entry of this package does not export: from graphql, or from another entry. Otherwise names a similar
 * export.
 */
async function entryOf(name: string, url: string): Promise<string> {
  const { exports } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8')) as { readonly exports: Entries };
  const entries = Object.entries(exports).flatMap(([path, { import: file }]) => (file === undefined ? [] : [[path, file] as const]));
  for (const [path, file] of [['', ''] as const, ...entries]) {
    const module = file === '' ? import('graphql') : import(new URL(file, packageRoot).href);
    // A package that an entry needs may be missing.
    const exported = (await module.catch(() => ({}))) as object;
    if (name in exported) return ` Import it from ${file === '' ? 'graphql' : `graphql-functions${path.slice(1)}`}.`;
  }
  return didYouMean(name, Object.keys((await import(url)) as object)) || ' No entry of graphql-functions does.';
}

type Entries = Readonly<Record<string, { readonly import?: string }>>;
