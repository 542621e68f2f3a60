/**
 * Prints the structure of src/: its folders, the dependencies between them, and what is worth a look: long files, folders
 * with many files, long parameter lists. `--list` prints the items too; `--svg` draws the folders in docs/figures/structure.svg.
 * test/structure.test.ts checks directions; the counts are for people to judge.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';

import { parseAst } from 'rolldown/parseAst';

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

/** Functions with four or more parameters, except resolvers (whose last parameter is `info`). */
function longParameterLists(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const found: string[] = [];
    walk(parseAst(text, { lang: 'ts' }), (node) => {
      const { params } = node;
      if (!isFunction(node) || !Array.isArray(params)) return;
      const declared = params.filter((param) => (param as Node)['name'] !== 'this');
      if ((declared.at(-1) as Node | undefined)?.['name'] === 'info') return;
      if (declared.length >= 4) found.push(`${path}:${text.slice(0, node['start'] as number).split('\n').length} (${declared.length})`);
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

/** The content of each folder in a few words, for the picture. */
const contents: Readonly<Record<string, string>> = {
  entries: 'the subpaths of the package',
  v3: 'the API of Apollo Server 3',
  tools: 'command line, tester, explain',
  extensions: 'features passed as options',
  server: 'the request pipeline',
  executor: 'schema, validation, plan, run, parts',
  datasources: 'REST APIs and their caches',
  shared: 'types for all of them',
};

const box = { width: 220, height: 58, gapX: 40, gapY: 44, margin: 20 };

/** A picture of the folders of src/: each is above those that it imports. Arrows that follow from others are left out. */
export function drawFolders(files: readonly SourceFile[]): string {
  const dependencies = dependenciesOf(files);
  const rows = rowsOf(dependencies);
  const width = Math.max(...rows.map(({ length }) => length)) * (box.width + box.gapX) - box.gapX + 2 * box.margin;
  const height = rows.length * (box.height + box.gapY) - box.gapY + 2 * box.margin;
  const places = new Map(rows.flatMap((row, y) => row.map((folder, x) => [folder, placeIn(row.length, x, y, width)] as const)));
  const arrows = [...dependencies].flatMap(([folder, targets]) =>
    targets.filter((target) => !isImplied(dependencies, folder, target)).map((target) => arrow(places.get(folder)!, places.get(target)!)),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The folders of src">`,
    '  <style>',
    '    text { font: 13px system-ui, sans-serif; fill: #57606a; text-anchor: middle }',
    '    .name { font-weight: 600; font-size: 16px; fill: #1f2328 }',
    '    rect { fill: #f6f8fa; stroke: #8c959f }',
    '    path { stroke: #57606a; stroke-width: 1.5; fill: none; marker-end: url(#head) }',
    '    marker path { fill: #57606a; stroke: none }',
    '    @media (prefers-color-scheme: dark) {',
    '      text { fill: #9198a1 } .name { fill: #f0f6fc } rect { fill: #151b23; stroke: #656c76 }',
    '      path { stroke: #9198a1 } marker path { fill: #9198a1 }',
    '    }',
    '  </style>',
    '  <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>',
    ...arrows,
    ...[...places].flatMap(([folder, { x, y }]) => [
      `  <rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="8"/>`,
      `  <text class="name" x="${x + box.width / 2}" y="${y + 25}">${folder}</text>`,
      `  <text x="${x + box.width / 2}" y="${y + 44}">${contents[folder] ?? ''}</text>`,
    ]),
    '</svg>',
    '',
  ].join('\n');
}

type Graph = ReadonlyMap<string, readonly string[]>;

/** The folders from top to bottom: in the lowest row those that import no other. */
function rowsOf(dependencies: Graph): string[][] {
  const depthOf = (folder: string): number => Math.max(0, ...dependencies.get(folder)!.map((target) => depthOf(target) + 1));
  const rows: string[][] = [];
  for (const folder of [...dependencies.keys()].toSorted()) (rows[depthOf(folder)] ??= []).push(folder);
  return rows.toReversed();
}

/** True when a folder also imports the target through another one. */
function isImplied(dependencies: Graph, folder: string, target: string): boolean {
  const reaches = (from: string): boolean => dependencies.get(from)!.some((next) => next === target || reaches(next));
  return dependencies.get(folder)!.some((next) => next !== target && reaches(next));
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function placeIn(columns: number, column: number, row: number, width: number): Place {
  const rowWidth = columns * (box.width + box.gapX) - box.gapX;
  return { x: (width - rowWidth) / 2 + column * (box.width + box.gapX), y: box.margin + row * (box.height + box.gapY) };
}

/** An arrow from the bottom of one box to the top of another. Arrows at the same box end at different points. */
function arrow(from: Place, to: Place): string {
  const lean = Math.sign(to.x - from.x) * 40;
  const [x1, y1, x2] = [from.x + box.width / 2 + lean, from.y + box.height, to.x + box.width / 2 - lean];
  return `  <path d="M${x1} ${y1} ${x2} ${to.y - 2}"/>`;
}

if (import.meta.main) {
  const files = readSources();
  if (process.argv.includes('--svg')) writeFileSync('docs/figures/structure.svg', drawFolders(files));
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
    'functions with four or more parameters': longParameterLists(files),
  };
  for (const [figure, list] of Object.entries(figures)) {
    console.log(`${String(list.length).padStart(6)} ${figure}`);
    if (process.argv.includes('--list')) for (const one of list) console.log(`       ${one}`);
  }
}
