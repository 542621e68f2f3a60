import { globSync, readFileSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { counted, firstLineOf } from '../../../shared/index.ts';
import type { MigrateArguments } from '../arguments.ts';
import { packageOf } from '../project/installed-packages.ts';
import type { Terminal } from '../project/paint.ts';
import { readPackageVersion } from '../requirements.ts';
import { broughtAlong, findUnfitPackages } from './dependencies.ts';
import { diffOf } from './diff.ts';
import { readManifests } from './manifests.ts';
import type { Manifest, Manifests } from './manifests.ts';
import { isOfVersion3 } from './modules.ts';
import { hasOldResponseCache, modulesOfMocks, requireDefaultOfResponseCache } from './packages-of-apollo.ts';
import { findOldRuntimes } from './old-runtimes.ts';
import { reportOtherServers } from './other-servers.ts';
import { listsVersion3, rewritePackage } from './package-file.ts';
import { findParser } from './parser.ts';
import type { Parse } from './parser.ts';
import { referencesIn } from './references.ts';
import { rewriteImports } from './rewrite.ts';
import type { Finding, Rewritten } from './rewrite.ts';
import { findSourceFiles } from './source-files.ts';
import type { SourceFile } from './source-files.ts';
import { moveSubgraphs } from './subgraphs.ts';
import { findUploads, keepCORSOff, sentNoCORS, usesUpload } from './version-2.ts';
import { isBelow } from './versions.ts';

/** A file before and after the migration. */
interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly findings: readonly Finding[];
  /** Packages that the new text needs. */
  readonly modules: readonly string[];
}

/** Migrates a project from the version-3 packages: its imports and its package.json files. Returns the exit code. */
export async function runMigrate(settings: MigrateArguments, directory: string, terminal: Terminal): Promise<number> {
  const parse = await findParser(directory, settings.hasAgreed, terminal);
  const files = [...new Set((await Promise.all(settings.paths.map((path) => findSourceFiles(join(directory, path))))).flat())];
  const texts = new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)));
  const manifests = await readManifests(directory, files);
  // All changes are computed before any file is written.
  const changes = makeChanges(parse, texts, { manifests, directory });
  const relevant = changes.filter(({ before, after, findings }) => before !== after || findings.length > 0);
  const packages = await changePackages(parse, changes, manifests);
  for (const change of [...relevant, ...packages]) await apply(change, settings, { directory, terminal });
  const concerned = new Set(relevant.flatMap(({ file }) => manifests.above(file)));
  const unfit = await Promise.all([...concerned].map((one) => findUnfitPackages(one, directory)));
  const folders = new Set([directory, ...[...concerned].map(({ file }) => dirname(file))]);
  const runtimes = await Promise.all([...folders].map((folder) => findOldRuntimes(folder, directory)));
  report(relevant, [...findingsIn(relevant, directory), ...unfit.flat(), ...runtimes.flat()], settings.isDryRun, terminal);
  reportOtherServers([...texts.values()], terminal);
  return 0;
}

/** Files without any of these need not be parsed. */
const mayChange = /apollo-|@apollo\/|\.createHandler\(|['"]graphql-tools\b|\bApolloServer\b/;

interface ProjectFiles {
  readonly manifests: Manifests;
  readonly directory: string;
}

type Step = (source: SourceFile) => Rewritten | undefined;

type Outcome = Pick<Change, 'after' | 'findings' | 'modules'>;

function makeChanges(parse: Parse, texts: ReadonlyMap<string, string>, { manifests, directory }: ProjectFiles): Change[] {
  const hasUploads = schemaTexts(texts, directory).some(usesUpload);
  const steps: Step[] = [
    (source) => (hasUploads ? { text: source.text, modules: [], findings: findUploads(source) } : undefined),
    (source) => (sentNoCORS(manifests, source.file) ? keepCORSOff(source) : undefined),
    (source) => ({ text: source.text, modules: modulesOfMocks(source), findings: [] }),
    (source) => (hasOldResponseCache(manifests, source.file) ? requireDefaultOfResponseCache(source) : undefined),
    moveSubgraphs,
    ({ file, text, program }) => rewriteImports(text, program, (module) => isReplaced(module, file, manifests)),
  ];
  return [...texts].map(([file, text]) => ({
    file,
    before: text,
    ...(mayChange.test(text) ? applySteps(parse, steps, { file, text }) : unchanged(text)),
  }));
}

function unchanged(text: string, message?: string): Outcome {
  return { after: text, findings: message === undefined ? [] : [{ line: 1, message }], modules: [] };
}

/** Each step reads the result of the previous one. A file that no parser reads, or in which a step fails, stays as it is. */
function applySteps(parse: Parse, steps: readonly Step[], { file, text }: Omit<SourceFile, 'program'>): Outcome {
  let after = text;
  const findings: Finding[] = [];
  const modules: string[] = [];
  for (const step of steps) {
    let program;
    try {
      program = parse(file, after);
    } catch (error) {
      return unchanged(text, `The file could not be parsed (${firstLineOf(error)}) and was left unchanged.`);
    }
    try {
      const written = step({ file, text: after, program });
      if (written === undefined) continue;
      after = written.text;
      findings.push(...written.findings);
      modules.push(...written.modules);
    } catch (error) {
      return unchanged(text, `migrate failed on this file (${firstLineOf(error)}) and left it unchanged.`);
    }
  }
  return { after, findings, modules };
}

/** True for modules of version 3, and for a graphql-tools that does not work with graphql 16 or that came with a server of version 2. */
function isReplaced(module: string, file: string, manifests: Manifests): boolean {
  if (packageOf(module) !== 'graphql-tools') return isOfVersion3(module);
  const range = manifests.rangeOf('graphql-tools', file);
  return range === undefined || isBelow(range, { major: 8, minor: 0 });
}

function schemaTexts(texts: ReadonlyMap<string, string>, directory: string): string[] {
  const files = globSync('**/*.{graphql,graphqls,gql}', { cwd: directory, exclude: (name) => name === 'node_modules' });
  return [...texts.values(), ...files.map((file) => readFileSync(join(directory, file), 'utf8'))];
}

/** Updates the package.json of each file: the nearest that lists the old packages, else the nearest. */
async function changePackages(parse: Parse, changes: readonly Change[], manifests: Manifests): Promise<Change[]> {
  const version = await readPackageVersion();
  const stillUsed = changes.flatMap(({ file, after }) => (mayChange.test(after) ? packagesIn(parse, file, after) : []));
  return manifests.all().flatMap((manifest) => {
    const { file, text } = manifest;
    const ofManifest = changes.filter((change) => isChangedFor(manifest, manifests.above(change.file)));
    const modules = ofManifest.flatMap(({ after, modules: needed }) => [...needed, ...packagesBroughtAlong(after)]);
    const isUsed = ofManifest.some((change) => change.modules.length > 0);
    const listedAbove = manifests
      .above(file)
      .slice(1)
      .flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies }));
    const after = rewritePackage(manifest, { modules: isUsed ? modules : [], stillUsed, listedAbove, version });
    return after === text ? [] : [{ file, before: text, after, findings: [], modules: [] }];
  });
}

function isChangedFor(manifest: Manifest, above: readonly Manifest[]): boolean {
  return manifest === (above.find(listsVersion3) ?? above[0]);
}

/** The imports of a text that used to be installed as dependencies of Apollo's packages. */
function packagesBroughtAlong(text: string): string[] {
  return Object.keys(broughtAlong).filter((name) =>
    new RegExp(String.raw`(?:from|require\(|import)\s*['"]${name}(?:/[^'"]*)?['"]`).test(text),
  );
}

function packagesIn(parse: Parse, file: string, text: string): string[] {
  try {
    return referencesIn(parse(file, text)).map(({ module }) => packageOf(module));
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
  // Written to a temporary file and renamed, so that the file is never incomplete.
  const fresh = `${file}.${process.pid}.new`;
  const { mode } = await stat(file);
  await writeFile(fresh, after, { mode });
  await rename(fresh, file);
}

function findingsIn(changes: readonly Change[], directory: string): string[] {
  return changes.flatMap(({ file, findings }) => [
    ...new Set(findings.map(({ line, message }) => `  ${relative(directory, file)}:${line}  ${message}`)),
  ]);
}

function report(changes: readonly Change[], left: readonly string[], isDryRun: boolean, terminal: Terminal): void {
  const changed = changes.filter(({ before, after }) => before !== after).length;
  terminal.log(`\n${summaryOf(changed, isDryRun)}`);
  if (left.length > 0) terminal.log(`To do by hand (see node_modules/graphql-functions/docs/migration.md):\n${left.join('\n')}`);
}

function summaryOf(changed: number, isDryRun: boolean): string {
  if (changed === 0) return isDryRun ? 'No files would change.' : 'No files changed.';
  const files = counted(changed, 'file');
  return isDryRun ? `${files} would change.` : `${files} changed. Run your package manager's install command and your tests.`;
}
