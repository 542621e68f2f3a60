/** Lists comments that begin without their noun, such as "Those of a type" or "Undefined: no batch". Part of `npm run lint`. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The first words that make a reader look for the noun. "That" and "It" hide the subject, "Undefined:" hides the sentence. */
const unclear = /^(?:That|Those|What|Its?|One of|Undefined(?: for|:))(?![\w'’-])/;

/** The beginning of a comment of its own line, or behind code. */
const beginning = /(?:^\s*\/\*\*?|^\s*\/\/|[;{,]\s+\/\/)\s*(.*)/;

/** The line numbers, counted from 1, and texts of the comments of a source that begin unclearly. */
export function unclearComments(source: string): [line: number, text: string][] {
  const lines = source.split('\n');
  return lines.flatMap((line, at): [number, string][] => {
    const [, first] = beginning.exec(line) ?? [];
    // A line comment goes on from the line above.
    if (first === undefined || (/^\s*\/\//.test(line) && /^\s*\/\//.test(lines[at - 1] ?? ''))) return [];
    const isEmpty = first === '';
    const text = isEmpty ? (lines[at + 1] ?? '').replace(/^\s*\*?\s*/, '') : first;
    return unclear.test(text) ? [[isEmpty ? at + 2 : at + 1, text]] : [];
  });
}

if (import.meta.main) {
  const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = entries.filter(({ name }) => name.endsWith('.ts')).map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.toSorted())
    for (const [line, text] of unclearComments(await readFile(file, 'utf8'))) {
      console.error(`${relative(root, file)}:${line} Expected a comment that begins with a noun or a verb, got: ${text}`);
      process.exitCode = 1;
    }
}
