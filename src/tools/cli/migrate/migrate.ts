import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { counted } from '../../../shared/index.ts';
import type { MigrateArguments } from '../arguments.ts';
import { packageOf } from '../project/package-name.ts';
import type { Terminal } from '../project/terminal.ts';
import { DevError } from '../project/problem.ts';
import { packageRoot, readPackageVersion } from '../requirements.ts';
import { findInCode } from './by-hand.ts';
import { referencesIn, rewriteImports } from './imports.ts';
import type { Note, Rewritten } from './imports.ts';
import { replacedPackages } from './modules.ts';
import { isBelow, listsReplaced, manifestsAbove, rangeIn, rewritePackage } from './package-file.ts';
import type { Manifest } from './package-file.ts';

/** A file after the migration. */
interface Change extends Rewritten {
  readonly file: string;
  readonly before: string;
  /** The package.json files above it. */
  readonly above: readonly Manifest[];
}

/** Migrates a project from the packages of Apollo Server 2 and 3: its imports and its package.json files. Returns the exit code. */
export async function runMigrate(settings: MigrateArguments, directory: string, terminal: Terminal): Promise<number> {
  const files = [...new Set(settings.paths.flatMap((path) => findSourceFiles(resolve(directory, path))))];
  // All changes are computed before any file is written.
  const changes = files.map((file) => changeImports(file, directory));
  const packages = changePackages(changes, await readPackageVersion());
  const changed = changes.filter((change) => change.changes.length > 0);
  const linesOf = (file: string, notes: readonly Note[]): string[] => [
    ...new Set(notes.map(({ line, message }) => `${relative(directory, file)}:${line}  ${message}`)),
  ];
  for (const { file, text, changes: notes } of [...changed, ...packages.filter((one) => one.changes.length > 0)]) {
    for (const line of linesOf(file, notes)) terminal.log(line);
    if (!settings.isDryRun) writeFileSync(file, text);
  }
  terminal.log(`\n${summaryOf(changed.length, settings.isDryRun)}`);
  const left = changes.flatMap(({ file, findings }) => linesOf(file, findings)).map((line) => `\n  ${line}`);
  if (left.length > 0) terminal.log(`To do by hand (see ${pageOf('migration.md')}):${left.join('')}`);
  return 0;
}

/** The path of a page: in node_modules, or where npx has put this package. */
function pageOf(name: string): string {
  return join(fileURLToPath(packageRoot), 'docs', name);
}

const passedOver = /^(?:node_modules|dist|build|coverage|\.git|\.netlify|\.serverless|\.aws-sam|\.next|\.wrangler)$/;

/** The source files of a path, including subfolders. Throws for a missing path. */
function findSourceFiles(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new DevError(`Expected files or folders to migrate; ${path} does not exist.`);
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return passedOver.test(entry.name) ? [] : findSourceFiles(join(path, entry.name));
    return entry.isFile() && /(?<!\.d)\.(?:[mc]?[jt]s|[jt]sx)$/.test(entry.name) ? [join(path, entry.name)] : [];
  });
}

function changeImports(file: string, directory: string): Change {
  const before = readFileSync(file, 'utf8');
  const above = manifestsAbove(file, directory);
  // Version 4 imports its caches from the same packages: without version 3's server, these imports stay.
  const isLater = referencesIn(before, (module) => /^@apollo\/(?:server|datasource-rest)(?:\/|$)/.test(module)).length > 0;
  // A graphql-tools that no package.json lists came with a server of version 2.
  const tools = rangeIn(above, 'graphql-tools') ?? '4';
  const { findings, ...rewritten } = rewriteImports(before, (module) => {
    const name = packageOf(module);
    return name === 'graphql-tools' ? isBelow(tools, 8) : replacedPackages.includes(name) && !(isLater && name.startsWith('@apollo/'));
  });
  return { file, before, above, ...rewritten, findings: [...findings, ...findInCode(before, above)] };
}

/** Updates the package.json of each file: the nearest that lists the old packages, else the nearest. */
function changePackages(changes: readonly Change[], version: string): Change[] {
  const manifestOf = ({ above }: Change): Manifest | undefined => above.find(listsReplaced) ?? above[0];
  const stillUsed = changes.flatMap(packagesOf);
  const manifests = new Map(changes.map((change) => [manifestOf(change)?.file, change.above]));
  return [...manifests].flatMap(([file, all]) => {
    const manifest = all.find((one) => one.file === file);
    if (manifest === undefined) return [];
    const ofManifest = changes.filter((change) => manifestOf(change)?.file === file);
    const imported = ofManifest.some((change) => change.changes.length > 0) ? ofManifest.flatMap(packagesOf) : [];
    const above = all.slice(all.indexOf(manifest) + 1);
    const { text, changes: made } = rewritePackage(manifest, { imported, stillUsed, above, version });
    return {
      file: manifest.file,
      before: manifest.text,
      text,
      above,
      changes: made.map((message) => ({ line: 1, message })),
      findings: [],
    };
  });
}

/** Returns the packages that a file needs: the ones that it imports, and the package behind the option `mocks`. */
function packagesOf({ text, changes }: Change): string[] {
  const hasMocks = changes.length > 0 && /\bmocks\s*(?::(?!\s*false)|[,}])|\bmockEntireSchema\b/.test(text);
  return [...referencesIn(text).map(({ module }) => packageOf(module)), ...(hasMocks ? ['@graphql-tools/mock'] : [])];
}

function summaryOf(changed: number, isDryRun: boolean): string {
  if (changed === 0) return `No imports to change. For other servers than Apollo Server 2 and 3, see ${pageOf('migration.md')}.`;
  const files = counted(changed, 'file');
  return isDryRun ? `${files} would change.` : `${files} changed. Run your package manager's install command and your tests.`;
}
