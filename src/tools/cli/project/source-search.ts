import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { positionAt } from './problem.ts';

/** A place in the user's files. */
export interface FoundPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The user's files to search. */
export interface UserFiles {
  /** The absolute paths of a function's files. */
  readonly files: readonly string[];
  /** The project's folder. */
  readonly directory: string;
}

/** Searches a function's files and the project's schema files, which it may read at run time. */
export function searchIn({ files, directory }: UserFiles): SourceSearch {
  const schemaFiles = globSync('**/*.{graphql,graphqls,gql}', { cwd: directory, exclude: isForeign });
  // JSON files contain no schema text.
  const texts = [...files.filter((file) => !isJSON(file)), ...schemaFiles.map((path) => join(directory, path))];
  return new SourceSearch(texts, files.filter(isJSON));
}

/** Finds the source of run-time values in the user's files. */
export class SourceSearch {
  /** The JSON files that the function imports. */
  readonly jsonFiles: readonly string[];
  readonly #files: readonly string[];
  readonly #texts = new Map<string, string>();
  readonly #masked = new Map<string, string>();

  constructor(files: readonly string[], jsonFiles: readonly string[] = []) {
    this.#files = files;
    this.jsonFiles = jsonFiles;
  }

  /** The place of an offset in schema text, in a .graphql file or the literal that the text comes from. */
  findText(text: string, offset: number): FoundPlace | undefined {
    for (const file of this.#files) {
      const at = this.#textOf(file).indexOf(text);
      if (at >= 0) return this.#place(file, at + offset);
    }
    return this.#findLine(text, offset);
  }

  /**
   * The place of a resolver: Query.books is the key books in the braces after Query. Searches the text, because objects have no
   * source positions. With `from`, the path begins with a key in the first braces after that place.
   */
  findKey(path: readonly string[], from?: FoundPlace): FoundPlace | undefined {
    for (const file of from === undefined ? this.#files.filter(isCode) : [from.file]) {
      const masked = this.#maskedOf(file);
      const at = from === undefined ? findPath(masked, path) : findInStatement(masked, offsetOf(masked, from), path);
      if (at !== undefined) return this.#place(file, at);
    }
    return undefined;
  }

  /** Finds concatenated or escaped text: the equal line with the most equal neighbors. */
  #findLine(text: string, offset: number): FoundPlace | undefined {
    const { line, column } = positionAt(text, offset);
    const wanted = linesOf(text);
    const content = wanted[line - 1] ?? '';
    let best: FoundPlace | undefined;
    // A line with only a brace is in every file, so its neighbors must match.
    let bestScore = content.trim().length < 3 ? 3 : 0;
    for (const file of this.#files) {
      const lines = linesOf(this.#textOf(file));
      for (const [index, candidate] of lines.entries()) {
        if (candidate.trim() !== content.trim()) continue;
        const score = 1 + likeness([wanted, line - 1], [lines, index]);
        if (score <= bestScore) continue;
        bestScore = score;
        best = { file, line: index + 1, column: Math.max(1, column + indentOf(candidate) - indentOf(content)) };
      }
    }
    return best;
  }

  #place(file: string, offset: number): FoundPlace {
    return { file, ...positionAt(this.#textOf(file), offset) };
  }

  #textOf(file: string): string {
    return remembered(this.#texts, file, () => readIfThere(file));
  }

  #maskedOf(file: string): string {
    return remembered(this.#masked, file, () => withoutLiterals(this.#textOf(file)));
  }
}

/** The source map of a package may name files that are not on this machine. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isJSON(file: string): boolean {
  return file.endsWith('.json');
}

function isForeign(name: string): boolean {
  return name === 'node_modules' || name === '.git';
}

function remembered(values: Map<string, string>, key: string, compute: () => string): string {
  const value = values.get(key) ?? compute();
  values.set(key, value);
  return value;
}

function isCode(file: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(file);
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\r]/);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

type LineOf = readonly [lines: readonly string[], index: number];

/** The number of equal lines among the ten nearest. */
function likeness([wanted, at]: LineOf, [lines, index]: LineOf): number {
  const near = [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5];
  return near.filter((step) => wanted[at + step] !== undefined && wanted[at + step]?.trim() === lines[index + step]?.trim()).length;
}

function offsetOf(text: string, { line, column }: FoundPlace): number {
  let start = 0;
  for (let number = 1; number < line; number++) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}

/** `Query: {`, `const Query = {`, `const Query: Types = {` or `class Query {`; then the rest of the path inside it. */
function findPath(masked: string, [name = '', ...rest]: readonly string[]): number | undefined {
  const owner = String.raw`(?<![\w$.])(?<!\b(?:interface|type)\s+)(['"]?)${escaped(name)}\1`;
  const block = new RegExp(String.raw`${owner}\s*(?::|(?::[^={};]*)?=)?\s*(?=\{)`, 'g');
  for (const { index, 0: match } of masked.matchAll(block)) {
    const at = rest.length === 0 ? index : findInBlock(masked, index + match.length, rest);
    if (at !== undefined) return at;
  }
  if (rest.length > 0) return undefined;
  // `Query: queries`, or `Query` alone among the keys of an object.
  return new RegExp(String.raw`(?<=[{,]\s*)${owner}(?=\s*[:,}])`).exec(masked)?.index;
}

/** A key in the first braces of the statement at an offset. */
function findInStatement(masked: string, from: number, path: readonly string[]): number | undefined {
  const open = masked.indexOf('{', from);
  return masked.slice(from, open).includes(';') ? undefined : findInBlock(masked, from, path);
}

/** A key directly inside the first braces after an offset. */
function findInBlock(masked: string, from: number, [name = '', ...rest]: readonly string[]): number | undefined {
  const open = masked.indexOf('{', from);
  if (open < 0) return undefined;
  const key = new RegExp(String.raw`(?<![\w$.])(['"]?)${escaped(name)}\1(?=\s*[:(,}=<])`, 'y');
  let depth = 0;
  for (let at = open; at < masked.length; at++) {
    const character = masked[at] ?? '';
    if ('{[('.includes(character)) depth++;
    else if ('}])'.includes(character) && --depth === 0) return undefined;
    key.lastIndex = at;
    if (depth !== 1 || !key.test(masked)) continue;
    return rest.length === 0 ? at : (findInBlock(masked, key.lastIndex, rest) ?? at);
  }
  return undefined;
}

function escaped(name: string): string {
  return name.replaceAll(/[^\w]/g, String.raw`\$&`);
}

/** Replaces comments and literals with blanks, so that braces can be counted. Literals that may be quoted keys stay. */
function withoutLiterals(code: string): string {
  const literal = /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`/g;
  return code.replaceAll(literal, (match) => (/^(['"])\w+\1$/.test(match) ? match : match.replaceAll(/[^\n]/g, ' ')));
}
