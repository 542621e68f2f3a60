/**
 * Measures the structure of src/: rooms and the arrows between them, full folders, small and long files, long parameter
 * lists. `node scripts/structure.ts` prints the figures, with `--list` also what they count; test/layers.test.ts holds them.
 */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

import { parseAst } from 'rolldown/parseAst';

export interface Import {
  readonly from: string;
  /** A path below src/, or the name of a package. */
  readonly to: string;
  readonly typeOnly: boolean;
  readonly names: string;
}

/** A file below src/. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** All files of src/. */
export function readSources(): readonly SourceFile[] {
  return globSync('src/**/*.ts')
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

export function isInternal({ to }: Import): boolean {
  return to.endsWith('.ts');
}

/** What is seen from above: a folder of src/, with the entry of the same name, or an entry without a folder. */
export function roomOf(path: string): string {
  const [first = ''] = path.split('/', 1);
  return first.replace(/\.ts$/, '');
}

/** The rooms, and which imports which. */
export function roomsOf(files: readonly SourceFile[]): { readonly rooms: readonly string[]; readonly arrows: readonly string[] } {
  const arrows = files
    .flatMap(({ imports }) => imports.filter(isInternal))
    .map(({ from, to }) => [roomOf(from), roomOf(to)] as const)
    .filter(([from, to]) => from !== to)
    .map(([from, to]) => `${from} → ${to}`);
  return { rooms: unique(files.map(({ path }) => roomOf(path))), arrows: unique(arrows) };
}

/** Folders with the number of files at their own level. The root holds the entries, of which the package decides. */
export function foldersOf(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const folders = new Map<string, number>();
  for (const { path } of files) {
    const folder = posix.dirname(path);
    if (folder !== '.') folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return folders;
}

/** Files of a number of lines, the fewest first. */
export function filesOf(files: readonly SourceFile[], has: (lines: number) => boolean): readonly string[] {
  return files
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => has(lines))
    .toSorted((a, b) => a.lines - b.lines)
    .map(({ path, lines }) => `${path} (${lines})`);
}

/** Functions with at least so many parameters. Those of a resolver, whose last is `info`, are graphql-js's choice. */
export function functionsWith(files: readonly SourceFile[], parameters: number): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const found: string[] = [];
    walk(parseAst(text, { lang: 'ts' }), (node) => {
      const { params } = node;
      if (!isFunction(node) || !Array.isArray(params)) return;
      const own = params.filter((param) => (param as Node)['name'] !== 'this');
      if ((own.at(-1) as Node | undefined)?.['name'] === 'info') return;
      if (own.length >= parameters) found.push(`${path}:${text.slice(0, node['start'] as number).split('\n').length} (${own.length})`);
    });
    return found;
  });
}

type Node = Readonly<Record<string, unknown>>;

function isFunction({ type, body }: Node): boolean {
  return (type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression') && body !== null;
}

function walk(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) walk(one, visit);
  else if (typeof node === 'object' && node !== null) {
    visit(node as Node);
    for (const value of Object.values(node)) if (typeof value === 'object') walk(value, visit);
  }
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)].toSorted();
}

if (import.meta.main) {
  const files = readSources();
  const { rooms, arrows } = roomsOf(files);
  const full = [...foldersOf(files)].filter(([, count]) => count > 20).map(([folder, count]) => `${folder} (${count})`);
  const figures: Readonly<Record<string, readonly string[]>> = {
    'rooms at the top': rooms,
    'arrows between them': arrows,
    'folders with more than 20 files': full,
    'files of 30 lines or fewer': filesOf(files, (lines) => lines <= 30),
    'files of more than 300 lines': filesOf(files, (lines) => lines > 300),
    'functions with four or more parameters': functionsWith(files, 4),
  };
  for (const [figure, list] of Object.entries(figures)) {
    console.log(`${String(list.length).padStart(4)} ${figure}`);
    if (process.argv.includes('--list')) for (const one of list) console.log(`     ${one}`);
  }
}
