/** A problem in the user's files. */
export interface Problem {
  readonly message: string;
  /** Absolute, or relative to the project. Undefined: the problem belongs to no file. */
  readonly file?: string | undefined;
  /** From 1. Undefined: the whole file. */
  readonly line?: number | undefined;
  /** From 1, in UTF-16 code units. */
  readonly column?: number | undefined;
}

/** An error that the user can fix; the message says how. */
export class DevError extends Error {
  override readonly name = 'DevError';
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
    const row = `${number === line ? '>' : ' '} ${String(number).padStart(digits)} | ${visible(content, from)}`.trimEnd();
    return number === line ? [row, `  ${' '.repeat(digits)} | ${' '.repeat(column - 1 - from)}^`] : [row];
  });
  return shown.join('\n');
}

/** Replaces each tab with one space, so that columns stay the same. */
function visible(content: string, from: number): string {
  return content.replaceAll('\t', ' ').slice(from, from + width);
}

/** The line and column of an offset, both from 1. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|[\n\r]/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
