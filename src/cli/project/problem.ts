/** Something wrong in the user's files. */
export interface Problem {
  readonly message: string;
  /** Its file, absolute or relative to the project. Undefined: it belongs to no file. */
  readonly file?: string | undefined;
  /** From 1. Undefined: the file as a whole. */
  readonly line?: number | undefined;
  /** From 1, in UTF-16 code units. */
  readonly column?: number | undefined;
}

/** An error that keeps the dev server from starting and that the user can put right: the message says how. */
export class DevError extends Error {
  override readonly name = 'DevError';
}

/** Characters of a line that are shown: a longer line would wrap, and the mark would be under another character. */
const width = 120;

/** Up to three lines of a text with their numbers, and a mark under one place. Empty when the text has no such line. */
export function codeFrame(text: string, { line, column }: { readonly line: number; readonly column: number }): string {
  const lines = text.split(/\r\n|[\n\r]/);
  if (lines[line - 1] === undefined) return '';
  const first = Math.max(0, line - 2);
  const last = Math.min(lines.length, line + 1);
  const digits = String(last).length;
  // A long line is shown from a little before the place.
  const from = column > width - 20 ? column - 40 : 0;
  const shown = lines.slice(first, last).flatMap((content, index) => {
    const number = first + index + 1;
    const row = `${number === line ? '>' : ' '} ${String(number).padStart(digits)} | ${visible(content, from)}`.trimEnd();
    return number === line ? [row, `  ${' '.repeat(digits)} | ${' '.repeat(column - 1 - from)}^`] : [row];
  });
  return shown.join('\n');
}

/** Each tab becomes one blank, so that columns stay the same. */
function visible(content: string, from: number): string {
  return content.replaceAll('\t', ' ').slice(from, from + width);
}

/** The line and the column of an offset, both from 1. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|[\n\r]/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
