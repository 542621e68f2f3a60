import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { positionAt } from './problem.ts';
import type { Place } from './problem.ts';

/**
 * Finds a text in the files of the project. The result is the place of an offset in it. If the text has been put together, that is the
 * equal line, or the one of several with more equal lines beside it.
 */
export function findText(text: string, offset: number): Place | undefined {
  const files = Array.from(projectFiles(), (file) => ({ file, content: readIfThere(file) }));
  const whole = files.find(({ content }) => content.includes(text));
  if (whole !== undefined) return { file: whole.file, ...positionAt(whole.content, whole.content.indexOf(text) + offset) };
  const { line, column } = positionAt(text, offset);
  const wanted = text.split('\n');
  const isEqual = (lines: readonly string[], at: number, step: number): boolean =>
    lines[at + step] !== undefined && lines[at + step]?.trim() === wanted[line - 1 + step]?.trim();
  const found = files.flatMap(({ file, content }) => {
    const lines = content.split('\n');
    return lines.flatMap((own, at) => {
      if (!isEqual(lines, at, 0)) return [];
      const score = [-2, -1, 1, 2].filter((step) => isEqual(lines, at, step)).length + (own.trim().length > 2 ? 1 : 0);
      return { score, file, line: at + 1, column: Math.max(1, column + indentOf(own) - indentOf(wanted[line - 1]!)) };
    });
  });
  const [best] = found.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  return best && { file: best.file, line: best.line, column: best.column };
}

/** Files that may contain schema text or documents. What Git ignores, such as bundles, has copies of them. */
function projectFiles(): string[] {
  const ignored = ['node_modules', ...readIfThere('.gitignore').split(/\r?\n/)].map((line) => line.replaceAll(/^\/|\/$/g, ''));
  const kinds = ['{graphql,graphqls,gql}', '{,m,c}ts{,x}', '{,m,c}js{,x}', 'json'];
  const exclude = (name: string): boolean => name.startsWith('.') || ignored.includes(name);
  return kinds.flatMap((kind) => globSync(`**/*.${kind}`, { exclude })).map((file) => join(process.cwd(), file));
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
