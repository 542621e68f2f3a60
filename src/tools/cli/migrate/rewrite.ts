import { packageOf } from '../project/installed-packages.ts';
import { destinationOf, isOfVersion3 } from './modules.ts';
import { referencesIn } from './references.ts';
import type { ImportedName, ModuleReference, Node, Range } from './references.ts';

/** A replacement in a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A place that the user must change. */
export interface Finding {
  readonly line: number;
  readonly message: string;
}

/** The new text, and the remaining manual work. */
export interface Rewritten {
  readonly text: string;
  readonly findings: readonly Finding[];
  /** Packages that the new text needs. */
  readonly modules: readonly string[];
}

/** Rewrites a file's references to the modules that this package replaces. */
export function rewriteImports(text: string, program: Node, isReplaced: (module: string) => boolean = isOfVersion3): Rewritten {
  const edits: Edit[] = [];
  const findings: Finding[] = [];
  const modules = new Set<string>();
  const references = referencesIn(program);
  const isLater = references.some(({ module }) => /^@apollo\/(?:server|datasource-rest)$/.test(packageOf(module)));
  for (const reference of references) {
    // Version 4 imports its caches from the same packages: without version 3's server, these imports stay.
    if (!isReplaced(reference.module) || (isLater && reference.module.startsWith('@apollo/'))) continue;
    const groups = groupsOf(reference);
    for (const left of groups.left) findings.push({ line: lineOf(text, reference.literal.start), message: left });
    for (const module of groups.byModule.keys()) modules.add(module);
    const made = editsFor(text, reference, groups);
    if (made.length === 0 && groups.byModule.size > 0) {
      const message = `This import of ${reference.module} was left unchanged: write a separate statement for each of ${[...groups.byModule.keys()].join(', ')}.`;
      findings.push({ line: lineOf(text, reference.literal.start), message });
    }
    edits.push(...made);
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
  const targets = [...byModule];
  const dropped = names.length - kept.length - targets.flatMap(([, taken]) => taken).length;
  if (targets.length === 0 && dropped === 0) return [];
  if (targets.length === 1 && kept.length === 0 && dropped === 0) return [{ ...literal, text: quoted(text, literal, targets[0]![0]) }];
  if (statement === undefined) return [];
  if (kept.length > 0) targets.push([reference.module, kept]);
  if (targets.length === 0) return [removal(text, statement)];
  return [{ ...statement, text: targets.map(([module, taken]) => importText(text, reference, taken.map(nameText), module)).join('\n') }];
}

/** A name as written in a list of imports. */
function nameText({ imported, local, isType }: ImportedName): string {
  return `${isType ? 'type ' : ''}${imported === local ? imported : `${imported} as ${local}`}`;
}

/** A statement in the style of an existing one, with other names and another module. */
function importText(text: string, reference: ModuleReference, names: readonly string[], module: string): string {
  const { kind, statement, literal, declaration, isType } = reference;
  const end = text[statement!.end - 1] === ';' ? ';' : '';
  const list = names.join(', ');
  const from = quoted(text, literal, module);
  if (kind === 'require') return `${declaration} { ${list.replaceAll(' as ', ': ')} } = require(${from})${end}`;
  return `${kind} ${isType ? 'type ' : ''}{ ${list} } from ${from}${end}`;
}

function quoted(text: string, { start }: Range, module: string): string {
  const quote = text[start]!;
  return quote + module + quote;
}

/** Removes a range with its line, and the blank line after it if a blank line or the start of a block precedes it. */
function removal(text: string, { start, end }: Range): Edit {
  const before = text.slice(0, start);
  const margin = /(?:^|\n)([ \t]*)$/.exec(before)?.[1]?.length ?? 0;
  const opens = /(?:^|\n[ \t]*\r?\n|\{[ \t]*\r?\n)$/.test(before.slice(0, start - margin));
  const rest = (opens ? /^[ \t]*(?:\r?\n)*/ : /^[ \t]*\r?\n?/).exec(text.slice(end))?.[0].length ?? 0;
  return { start: start - margin, end: end + rest, text: '' };
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let changed = text;
  for (const { start, end, text: replacement } of edits.toSorted((a, b) => b.start - a.start))
    changed = changed.slice(0, start) + replacement + changed.slice(end);
  return changed;
}

/** The line number of a position. */
export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
