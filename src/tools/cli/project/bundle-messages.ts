import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

import type { Message } from 'esbuild';

import { findBuiltFile } from '../../../server/for-tools.ts';
import { didYouMean } from '../../../shared/index.ts';
import { folderOf, packageOf } from './installed-packages.ts';

/** Adds to a message how to install the missing package, or which entry exports a name. */
export function toUserMessage(message: Message): Message {
  const { text, location } = message;
  const [, missing] = /^Could not resolve "([^"./][^"]*)"$/.exec(text) ?? [];
  // For an installed package, esbuild's message says what is wrong.
  const importer = location?.file ?? '';
  if (missing !== undefined && folderOf(packageOf(missing), dirname(resolve(importer))) === undefined)
    return { ...message, text: `${text}: it is not installed. ${howToResolve(packageOf(missing), importer)}`, notes: [] };
  if (missing?.startsWith('graphql-functions/') === true) return { ...message, text: `${text}: ${knownEntries(missing)}`, notes: [] };
  return { ...message, text: withEntry(text) };
}

/** Packages import others that they need only for some of their features. */
function howToResolve(name: string, importer: string): string {
  const [, by] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(importer) ?? [];
  if (by === undefined) return `Run: npm i ${name}`;
  return `If you do not use what ${by} needs it for, leave it out: --external ${name} for graphql-functions, --external:${name} for esbuild. Otherwise: npm i ${name}`;
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

interface Exports {
  readonly [subpath: string]: string | { readonly import?: { readonly default?: string } };
}

function exportsOf(folder: string): Exports {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly exports: Exports }).exports;
}

/** If a name is imported from the wrong entry of this package, names that entry, and the entry or package that exports it. */
function withEntry(text: string): string {
  const [, file = '', name = ''] = /^No matching export in "([^"]+)" for import "([^"]+)"$/.exec(text) ?? [];
  const [, wrong] = /(?:^|\/)dist\/esm\/([\w/-]+)\.js$/.exec(file) ?? [];
  const folder = packageFolder();
  if (wrong === undefined || folder === undefined || !realpathSync(resolve(file)).startsWith(realpathSync(folder))) return text;
  const entry = isOfGraphQL(name) ? 'graphql' : entryThatExports(name, folder);
  const message = `No matching export in "graphql-functions${wrong === 'index' ? '' : `/${wrong}`}" for import "${name}"`;
  return entry === undefined ? message : `${message}: import it from "${entry}"`;
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
    const file = typeof entry === 'string' ? undefined : entry.import?.default;
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
