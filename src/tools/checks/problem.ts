import { readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

/** A place in the user's files. Line and column begin at 1; columns are UTF-16 code units. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A problem in the user's files. */
export interface Problem {
  readonly message: string;
  /** Absolute, or relative to the project. Undefined: the problem belongs to no file. */
  readonly file?: string | undefined;
  /** The line; undefined if the problem concerns the whole file. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** "file:line:column message", followed by the code around that place. */
export function problemText(problem: Problem, directory: string): string {
  const { file, line, column, message } = problem;
  const place = file === undefined ? [] : [shorten(file, directory), line, line === undefined ? undefined : column];
  const shown = place.filter((part) => part !== undefined).join(':');
  const frame = frameOf(problem, directory);
  return `${shown === '' ? '' : `${shown} `}${message}${frame === '' ? '' : `\n\n${frame}\n`}`.replaceAll(/\n(?=[^\n])/g, '\n  ');
}

/** The code around the place of a problem. Empty without a place, or if its file does not exist on this machine. */
export function frameOf({ file, line, column }: Problem, directory: string): string {
  if (file === undefined || line === undefined || column === undefined) return '';
  try {
    return codeFrame(readFileSync(resolve(directory, file), 'utf8'), { line, column });
  } catch {
    return '';
  }
}

/** A path relative to the project, if the file is in it. */
export function shorten(file: string, directory: string): string {
  return file.startsWith(`${directory}${sep}`) ? relative(directory, file) : file;
}

/** The number of characters to show of a line. Longer lines would wrap and misplace the mark. */
const width = 120;

/** Up to three numbered lines of a text, with a mark under one place. Empty when the text has no such line. */
export function codeFrame(text: string, { line, column }: { readonly line: number; readonly column: number }): string {
  const lines = text.split(/\r\n|[\n\r]/);
  if (lines[line - 1] === undefined) return '';
  const first = Math.max(0, line - 2);
  const last = Math.min(lines.length, line + 1);
  const digits = String(last).length;
  // A long line is cut shortly before the place.
  const from = column > width - 20 ? column - 40 : 0;
  const shown = lines.slice(first, last).flatMap((content, index) => {
    const number = first + index + 1;
    // Tabs are replaced with one space, so that columns stay the same.
    const code = content.replaceAll('\t', ' ').slice(from, from + width);
    const row = `${number === line ? '>' : ' '} ${String(number).padStart(digits)} | ${code}`.trimEnd();
    return number === line ? [row, `  ${' '.repeat(digits)} | ${' '.repeat(column - 1 - from)}^`] : [row];
  });
  return shown.join('\n');
}

/** The line and column of an offset, both from 1. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|[\n\r]/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
