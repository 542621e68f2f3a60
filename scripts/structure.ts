/**
 * Prints the structure of src/: its folders, the dependencies between them, and what is worth a look: long files, and folders
 * with many files. `--list` prints the items too.
 * test/unit/structure.test.ts checks directions; the counts are for people to judge.
 */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

export interface Import {
  readonly from: string;
  /** A path below src/, or the name of a package. */
  readonly to: string;
  readonly typeOnly: boolean;
  readonly names: string;
}

/** A file of src/; its path is relative to src/. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** The projects that `init` makes: their files belong to no folder of src/. */
export const templates = 'src/tools/cli/init/templates/**';

/** All files of src/. */
export function readSources(): readonly SourceFile[] {
  return globSync('src/**/*.ts', { exclude: [templates] })
    .map((file) => posix.relative('src', file.replaceAll('\\', '/')))
    .map((path) => {
      const text = readFileSync(posix.join('src', path), 'utf8');
      return { path, text, imports: importsOf(path, text) };
    });
}

const importStatement = /^(?:import|export) (type )?([^'";]*?) ?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

/** The imports in a file's text. */
export function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(importStatement)].map(([, type, names = '', named, bare, dynamic]) => ({
    from,
    to: targetOf(from, named ?? bare ?? dynamic ?? ''),
    typeOnly: type !== undefined,
    names,
  }));
}

function targetOf(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}

/** True for an import of another file of src/. */
export function isInternal({ to }: Import): boolean {
  return to.endsWith('.ts');
}

/** The folder of src/ that holds a file. */
export function folderOf(path: string): string {
  return path.split('/', 1)[0]!;
}

/** The imported folders of each folder of src/. */
export function dependenciesOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const dependencies = new Map<string, Set<string>>(files.map(({ path }) => [folderOf(path), new Set()]));
  for (const { from, to } of files.flatMap((file) => file.imports.filter(isInternal))) {
    if (folderOf(from) !== folderOf(to)) dependencies.get(folderOf(from))!.add(folderOf(to));
  }
  return new Map([...dependencies].map(([folder, targets]) => [folder, [...targets].toSorted()]));
}

/** Each cycle as text: `a → b → a`. */
export function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

/** Folders at any depth, with the number of files directly in them. */
function fileCounts(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return counts;
}

function longFiles(files: readonly SourceFile[]): readonly string[] {
  return files
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > 300)
    .toSorted((a, b) => b.lines - a.lines)
    .map(({ path, lines }) => `${path} (${lines})`);
}

if (import.meta.main) {
  const files = readSources();
  const lines = (folder: string): number =>
    files.filter(({ path }) => folderOf(path) === folder).reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
  const dependencies = dependenciesOf(files);
  for (const [folder, targets] of [...dependencies].toSorted(([a], [b]) => a.localeCompare(b))) {
    console.log(`${String(lines(folder)).padStart(6)} lines  ${folder} → ${targets.join(', ') || '(nothing)'}`);
  }
  const figures: Readonly<Record<string, readonly string[]>> = {
    'folders of src/': [...dependencies.keys()],
    'dependencies between them': [...dependencies].flatMap(([folder, targets]) => targets.map((target) => `${folder} → ${target}`)),
    'cycles between them': cyclesIn(dependencies),
    'folders with more than 20 files': [...fileCounts(files)]
      .filter(([, count]) => count > 20)
      .map(([name, count]) => `${name} (${count})`),
    'files of more than 300 lines': longFiles(files),
  };
  for (const [figure, list] of Object.entries(figures)) {
    console.log(`${String(list.length).padStart(6)} ${figure}`);
    if (process.argv.includes('--list')) for (const one of list) console.log(`       ${one}`);
  }
}
