import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { firstLineOf } from '../../message/describe.ts';
import { readOwnVersion } from '../requirements.ts';
import { DevError } from '../project/problem.ts';
import type { Terminal } from '../project/paint.ts';
import type { MigrateArguments } from '../arguments.ts';
import { modernizeDataSources } from './datasource-rest.ts';
import { diffOf } from './diff.ts';
import { modernise } from './modern.ts';
import { isOfVersion3, packageOf } from './modules.ts';
import { rewritePackage } from './package-file.ts';
import { findParser } from './parser.ts';
import type { Parser } from './parser.ts';
import { referencesIn } from './references.ts';
import { lineOf, rewriteImports } from './rewrite.ts';
import type { Finding, Rewritten } from './rewrite.ts';
import { modernizeYoga } from './yoga.ts';

/** A file, as it is and as it is to be. */
interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly findings: readonly Finding[];
  readonly modules: readonly string[];
  /** The other server that it imports, of which the imports alone cannot be changed. */
  readonly otherServer?: string | undefined;
}

/** Servers of which the names say what is in the file, and what to do with such a file. `modern`: packages that --modern replaces. */
const others: Readonly<Record<string, { readonly test: RegExp; readonly advice: string; readonly modern?: readonly string[] }>> = {
  'Apollo Server 4 or 5': {
    test: /['"](?:@apollo\/server|@as-integrations\/[\w-]+|@apollo\/datasource-rest)(?:\/[\w/]+)?['"]/,
    advice: 'migrate --modern writes handlers on Lambda and data sources with this package, and says what to do with the rest',
    modern: ['@apollo/server', '@as-integrations/aws-lambda', '@apollo/datasource-rest'],
  },
  'GraphQL Yoga': {
    test: /['"]graphql-yoga['"]/,
    advice: 'migrate --modern writes it with createHandler where it can',
    modern: ['graphql-yoga'],
  },
  'graphql-http or express-graphql': {
    test: /['"](?:graphql-http(?:\/[\w/]+)?|express-graphql)['"]/,
    advice: 'its options are those of createHandler: see docs/migration.md, "From graphql-http"',
  },
  Mercurius: { test: /['"]mercurius['"]/, advice: 'createListener({ … }) takes its place as a route: see docs/platforms.md' },
};

/** Changes the imports of the version-3 generation in a project, and its package.json. The result is the exit code. */
export async function runMigrate(settings: MigrateArguments, directory: string, terminal: Terminal): Promise<number> {
  const parser = findParser(directory);
  if (settings.modern && !parser.isWhole)
    throw new DevError(
      '--modern needs @babel/parser or oxc-parser, and the project has typescript alone. npm install --no-save @babel/parser',
    );
  const files = (await Promise.all(settings.paths.map((path) => sourcesIn(join(directory, path))))).flat();
  // All of it is made before any of it is written: a file is changed as a whole or not at all.
  const made = await Promise.all([...new Set(files)].map((file) => changeOf(parser, file, settings.modern)));
  const manifestText = await readFile(join(directory, 'package.json'), 'utf8').catch(() => '');
  const changes = hasOldTools(manifestText) ? made.map(withOldTools) : made;
  const relevant = changes.filter(({ before, after, findings }) => before !== after || findings.length > 0);
  const manifest = await packageChange(directory, changes, parser);
  for (const change of [...relevant, ...manifest]) await apply(change, settings, { directory, terminal });
  report(relevant, [...findingsIn(relevant, directory), ...(await oldRuntimesIn(directory))], terminal);
  reportOthers(changes, settings.modern, terminal);
  return 0;
}

/** True when package.json has graphql-tools 4 or older. Later versions pass on the packages of @graphql-tools, and work. */
function hasOldTools(manifest: string): boolean {
  return /"graphql-tools"\s*:\s*"[^\d"]*[0-4](?:\.|")/.test(manifest);
}

function withOldTools(change: Change): Change {
  const { findings, after } = change;
  const at = after.search(/['"]graphql-tools['"]/);
  return at < 0 ? change : { ...change, findings: [...findings, { line: lineOf(after, at), message: oldTools }] };
}

const oldTools =
  'graphql-tools 4 does not work with graphql 16: makeExecutableSchema is in graphql-functions/v3/core, SchemaDirectiveVisitor in graphql-functions/v3, and the rest in the packages of @graphql-tools.';

const mayNameOurs = /apollo-|@apollo\/|graphql-yoga/;

async function changeOf(parser: Parser, file: string, isModern: boolean): Promise<Change> {
  const before = await readFile(file, 'utf8');
  const nothing = { file, before, after: before, findings: [], modules: [] };
  const otherServer = Object.keys(others).find((name) => others[name]!.test.test(before));
  // Most files of a project name none of these, and need no parser.
  if (!mayNameOurs.test(before)) return { ...nothing, otherServer };
  try {
    const { text, findings, modules } = rewritten(parser, { file, before }, isModern);
    return { file, before, after: text, findings, modules, otherServer };
  } catch (error) {
    const message = `It does not parse (${firstLineOf(error)}), and is left as it is.`;
    return { ...nothing, findings: [{ line: 1, message }] };
  }
}

function rewritten(parser: Parser, { file, before }: Pick<Change, 'file' | 'before'>, isModern: boolean): Rewritten {
  const steps = isModern ? [modernizeDataSources, modernise, modernizeYoga, rewriteImports] : [rewriteImports];
  let whole: Rewritten = { text: before, findings: [], modules: [] };
  // Each step reads what the one before has written.
  for (const step of steps) {
    const { text, findings, modules } = step(whole.text, parser.parse(file, whole.text)) ?? whole;
    whole = { text, findings: [...new Set([...whole.findings, ...findings])], modules: [...new Set([...whole.modules, ...modules])] };
  }
  return whole;
}

async function packageChange(directory: string, changes: readonly Change[], parser: Parser): Promise<Change[]> {
  const file = join(directory, 'package.json');
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === undefined) return [];
  const stillUsed = changes.flatMap(({ file: source, after }) => (mayNameOurs.test(after) ? modulesOf(parser, source, after) : []));
  const modules = changes.flatMap((change) => change.modules);
  const after = rewritePackage(before, { modules, stillUsed, replaced: replacedBy(changes), version: await readOwnVersion() });
  return after === before ? [] : [{ file, before, after, findings: [], modules: [] }];
}

/** Packages of the servers that --modern knows which files named before, and none names now. */
function replacedBy(changes: readonly Change[]): string[] {
  return Object.values(others)
    .flatMap(({ modern = [] }) => modern)
    .filter((name) => changes.some(({ before }) => namesPackage(before, name)) && !changes.some(({ after }) => namesPackage(after, name)));
}

function namesPackage(text: string, name: string): boolean {
  return [`'${name}'`, `"${name}"`, `'${name}/`, `"${name}/`].some((one) => text.includes(one));
}

function modulesOf(parser: Parser, file: string, text: string): string[] {
  try {
    return referencesIn(parser.parse(file, text))
      .map(({ module }) => packageOf(module))
      .filter(isOfVersion3);
  } catch {
    return [];
  }
}

async function apply(
  { file, before, after }: Change,
  { isDryRun }: MigrateArguments,
  { directory, terminal }: { readonly directory: string; readonly terminal: Terminal },
): Promise<void> {
  if (after === before) return;
  terminal.log(diffOf(relative(directory, file), before, after));
  if (isDryRun) return;
  // Written beside and renamed: whatever happens, the file is the old one or the new one.
  const fresh = `${file}.${process.pid}.new`;
  const { mode } = await stat(file);
  await writeFile(fresh, after, { mode });
  await rename(fresh, file);
}

function findingsIn(changes: readonly Change[], directory: string): string[] {
  return changes.flatMap(({ file, findings }) => findings.map(({ line, message }) => `  ${relative(directory, file)}:${line}  ${message}`));
}

/** Files that say which Node a function runs on, and how they name one that is too old for this package. */
const places: readonly { readonly files: readonly string[]; readonly version: RegExp; readonly example: string }[] = [
  {
    files: ['serverless.yml', 'serverless.yaml', 'serverless.json', 'serverless.ts', 'template.yaml', 'template.yml', 'samconfig.toml'],
    version: /\bnodejs(?:\d|1\d|2[01])(?:\.x|\b)/g,
    example: 'nodejs24.x',
  },
  { files: ['netlify.toml'], version: /\bNODE_VERSION\s*=\s*"v?(?:\d|1\d|2[01])(?:\.[\d.]*)?"/g, example: 'NODE_VERSION = "24"' },
  { files: ['.nvmrc', '.node-version'], version: /^v?(?:\d|1\d|2[01])(?:\.[\d.]*)?\s*$/gm, example: '24' },
];

/** A line for each place of a project that names such a Node, with the file, the line, and what to write instead. */
async function oldRuntimesIn(directory: string): Promise<string[]> {
  const lines = places.flatMap(({ files, version, example }) =>
    files.map(async (file) => {
      const text = await readFile(join(directory, file), 'utf8').catch(() => '');
      return [...text.matchAll(version)].map(({ 0: found, index }) => {
        const line = text.slice(0, index).split('\n').length;
        return `  ${file}:${line}  ${found.trim()} is too old: this package needs Node 22.19 or newer. Write ${example}.`;
      });
    }),
  );
  return (await Promise.all(lines)).flat();
}

function report(changes: readonly Change[], left: readonly string[], terminal: Terminal): void {
  const changed = changes.filter(({ before, after }) => before !== after).length;
  terminal.log(`\n${changed} ${changed === 1 ? 'file' : 'files'} changed. Run your package manager's install, and the tests.`);
  if (left.length > 0) terminal.log(`Left for you (node_modules/graphql-functions/docs/migration.md says what to do):\n${left.join('\n')}`);
}

/** With --modern, files of the servers that it knows have findings of their own. */
function reportOthers(changes: readonly Change[], isModern: boolean, terminal: Terminal): void {
  for (const [name, { advice, modern }] of Object.entries(others)) {
    const { length } = changes.filter(({ otherServer }) => otherServer === name);
    if (length > 0 && !(isModern && modern !== undefined))
      terminal.log(`${length} ${length === 1 ? 'file is' : 'files are'} of ${name}, and left: ${advice}.`);
  }
}

const sourceFile = /\.(?:[mc]?[jt]s|[jt]sx)$/;
const passedOver = new Set(['node_modules', 'dist', 'build', 'coverage', '.git', '.netlify', '.serverless', '.aws-sam']);

async function sourcesIn(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new DevError(`Expected files or folders to migrate, but there is no ${path}.`);
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const inside = await Promise.all(
    entries.map((entry) => {
      if (entry.isDirectory()) return passedOver.has(entry.name) ? [] : sourcesIn(join(path, entry.name));
      return entry.isFile() && sourceFile.test(entry.name) && !entry.name.endsWith('.d.ts') ? [join(path, entry.name)] : [];
    }),
  );
  return inside.flat();
}
