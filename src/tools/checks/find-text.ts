import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { positionAt } from './problem.ts';
import type { Place } from './problem.ts';

/**
 * Finds a text in the files of the project. The result is the place of an offset in it. If the text has been put together, that is where
 * its line stands with the line before or after it.
 */
export function findText(text: string, offset: number): Place | undefined {
  const files = Array.from(projectFiles(), (file) => ({ file, content: readIfThere(file) }));
  const whole = files.find(({ content }) => content.includes(text));
  if (whole !== undefined) return { file: whole.file, ...positionAt(whole.content, whole.content.indexOf(text) + offset) };
  const { line, column } = positionAt(text, offset);
  const wanted = text.split('\n');
  for (const first of [line - 2, line - 1]) {
    const pair = wanted.slice(Math.max(0, first), first + 2).map((one) => one.trim());
    for (const { file, content } of files) {
      const lines = content.split('\n');
      const start = lines.findIndex((one, index) => one.trim() === pair[0] && (lines[index + 1] ?? '').trim() === pair[1]);
      if (start < 0) continue;
      const at = start + line - 1 - first;
      return { file, line: at + 1, column: Math.max(1, column + indentOf(lines[at] ?? '') - indentOf(wanted[line - 1]!)) };
    }
  }
  return undefined;
}

/** Lists files that may contain schema text or documents. Leaves out files that Git ignores, such as bundles, because they have copies. */
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
