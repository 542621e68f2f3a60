import { importText, lineOf, nameText, removal } from './rewrite.ts';
import type { Edit, Rewritten } from './rewrite.ts';
import { nodesIn } from './references.ts';
import type { ModuleReference, Node, Range } from './references.ts';

/** Why a file cannot be rewritten with createHandler. */
export interface Problem {
  readonly node: Node;
  readonly why: string;
}

/** A list with one problem. */
export function problem(node: Node, why: string): Problem[] {
  return [{ node, why }];
}

/** Keeps the text, and returns a finding for each problem. */
export function left(text: string, found: readonly Problem[], prefix = 'Not converted to createHandler'): Rewritten {
  const findings = found.map(({ node, why }) => ({ line: lineOf(text, node.start), message: `${prefix}: ${why}.` }));
  return { text, findings, modules: [] };
}

/** The names that a file imports from a module now. */
export interface NewImport {
  readonly names: readonly string[];
  readonly module: string;
  readonly isType?: boolean;
}

/** Replaces the first of the old imports with the new ones, and removes the others. */
export function importEdits(text: string, old: readonly ModuleReference[], fresh: readonly NewImport[]): Edit[] {
  return old.map((reference, at) => {
    const lines = at > 0 ? [] : fresh.filter(({ names }) => names.length > 0);
    if (lines.length === 0) return removal(text, reference.statement!);
    const texts = lines.map(({ names, module, isType = false }) => importText(text, { ...reference, isType }, names, module));
    return { ...reference.statement!, text: texts.join('\n') };
  });
}

/** Imports that are not purely by name, or of names that are not in `known`. */
export function problemsOfImports(used: readonly ModuleReference[], known: readonly string[]): Problem[] {
  return used.flatMap(({ module, literal, names, statement }) => {
    if (statement === undefined) return problem(literal, `not every import of ${module} is a named import`);
    return names
      .filter(({ imported, local }) => !known.includes(imported) || imported !== local)
      .flatMap((name) => problem(literal, `it uses ${nameText({ ...name, isType: false })} of ${module}`));
  });
}

/** An object literal of these members, on several lines if one would exceed the usual limit. `node`: where it is inserted. */
export function objectText(text: string, node: Node, members: readonly string[]): string {
  const line = `{ ${members.join(', ')} }`;
  if (line.length <= 80 && !line.includes('\n') && !text.slice(node.start, node.end).includes('\n')) return line;
  const indent = indentOf(text, node);
  return `{\n${members.map((member) => `${indent}${member},\n`).join('')}${marginOf(text, node)}}`;
}

/** The indentation of the first line inside a node. For a single-line node, two spaces more than its line. */
export function indentOf(text: string, node: Node): string {
  return /\n([ \t]+)\S/.exec(text.slice(node.start, node.end))?.[1] ?? `${marginOf(text, node)}  `;
}

/** The indentation of the line in which a node starts. */
function marginOf(text: string, { start }: Node): string {
  return /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, start))?.[1] ?? '';
}

/** Type arguments as written, `<Context>`; the parsers name them differently. */
export function typeArgumentsOf(text: string, { typeArguments, typeParameters }: Node): string {
  const { start, end } = typeArguments ?? typeParameters ?? { start: 0, end: 0 };
  return text.slice(start, end);
}

/** True when a node is inside one of the others. */
export function isInside(node: Node, others: readonly Node[]): boolean {
  return others.some(({ start, end }) => node.start >= start && node.end <= end);
}

/** Every identifier with a name. */
export function usesOf(program: Node, name: string): Node[] {
  const uses = nodesIn(program, 'Identifier').filter((node) => node.name === name);
  // `{ event }` has the same identifier twice.
  return [...new Map(uses.map((node) => [node.start, node])).values()];
}

/** The variable of a declaration with only one. */
export function onlyDeclarator(node: Node): Node | undefined {
  const [declarator, second] = node?.type === 'VariableDeclaration' ? node.declarations : [];
  return second === undefined ? declarator : undefined;
}

/** The source text of a node. */
export function textOf(text: string, { start, end }: Range): string {
  return text.slice(start, end);
}

/** The property of an object literal with a name. */
export function propertyNamed(object: Node | undefined, name: string): Node | undefined {
  return object?.properties.find(({ key }: Node) => key?.name === name);
}
