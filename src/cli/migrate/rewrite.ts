import { destinationOf, isOfVersion3, packageOf } from './modules.ts';
import { referencesIn } from './references.ts';
import type { ImportedName, ModuleReference, Node } from './references.ts';

/** One change of a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A place that is left for a person to change. */
export interface Finding {
  readonly line: number;
  readonly message: string;
}

/** A text as it is to be, and what was left in it. */
export interface Rewritten {
  readonly text: string;
  readonly findings: readonly Finding[];
  /** Packages that the text needs now. */
  readonly modules: readonly string[];
}

/** Changes the modules of the version-3 generation that a file names. */
export function rewriteImports(text: string, program: Node): Rewritten {
  const edits: Edit[] = [];
  const findings: Finding[] = [];
  const modules = new Set<string>();
  const references = referencesIn(program);
  const isLater = references.some(({ module }) => /^@apollo\/(?:server|datasource-rest)$/.test(packageOf(module)));
  for (const reference of references) {
    // Version 4 has its caches from the same packages: without their server, they stay where they are.
    if (!isOfVersion3(reference.module) || (isLater && reference.module.startsWith('@apollo/'))) continue;
    const groups = groupsOf(reference);
    for (const left of groups.left) findings.push({ line: lineOf(text, reference.literal.start), message: left });
    for (const module of groups.byModule.keys()) modules.add(module);
    edits.push(...editsFor(text, reference, groups));
  }
  return { text: applyEdits(text, edits), findings, modules: [...modules] };
}

interface Groups {
  readonly byModule: ReadonlyMap<string, readonly ImportedName[]>;
  readonly left: readonly string[];
  readonly kept: readonly ImportedName[];
}

function groupsOf({ module, names }: ModuleReference): Groups {
  const byModule = new Map<string, ImportedName[]>();
  const left: string[] = [];
  const kept: ImportedName[] = [];
  for (const name of names.length === 0 ? [undefined] : names) {
    const destination = destinationOf(module, name?.imported);
    if ('left' in destination) {
      left.push(`${destination.left}.`);
      if (name !== undefined) kept.push(name);
    } else if ('module' in destination)
      byModule.set(destination.module, [...(byModule.get(destination.module) ?? []), ...(name === undefined ? [] : [name])]);
  }
  return { byModule, left, kept };
}

function editsFor(text: string, reference: ModuleReference, { byModule, kept }: Groups): Edit[] {
  const { literal, statement, names } = reference;
  const quote = text[literal.start]!;
  const targets = [...byModule];
  const dropped = names.length - kept.length - targets.reduce((sum, [, taken]) => sum + taken.length, 0);
  if (targets.length === 0 && dropped === 0) return [];
  if (targets.length === 1 && kept.length === 0 && dropped === 0) return [{ ...literal, text: quote + targets[0]![0] + quote }];
  if (statement === undefined) return [];
  const statements = [...targets, ...(kept.length > 0 ? [[reference.module, kept] as const] : [])];
  const ends = text.slice(statement.start, statement.end).endsWith(';') ? ';' : '';
  if (statements.length === 0) return [removal(text, statement)];
  const lines = statements.map(([module, taken]) => `${statementText(reference, taken, quote + module + quote)}${ends}`);
  return [{ ...statement, text: lines.join('\n') }];
}

function statementText({ kind, isType, declaration }: ModuleReference, names: readonly ImportedName[], module: string): string {
  const [between, prefix] = kind === 'require' ? [': ', ''] : [' as ', 'type '];
  const list = names.map(
    ({ imported, local, isType: own }) => `${own ? prefix : ''}${imported === local ? imported : imported + between + local}`,
  );
  if (kind === 'require') return `${declaration} { ${list.join(', ')} } = require(${module})`;
  return `${kind} ${isType ? 'type ' : ''}{ ${list.join(', ')} } from ${module}`;
}

/** With its line's end, so that no empty line stays. */
export function removal(text: string, { start, end }: { readonly start: number; readonly end: number }): Edit {
  const rest = /^[ \t]*\r?\n?/.exec(text.slice(end))?.[0].length ?? 0;
  return { start, end: end + rest, text: '' };
}

/** The text with all edits, which do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let changed = text;
  for (const { start, end, text: replacement } of edits.toSorted((a, b) => b.start - a.start))
    changed = changed.slice(0, start) + replacement + changed.slice(end);
  return changed;
}

/** The number of the line at a position. */
export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
