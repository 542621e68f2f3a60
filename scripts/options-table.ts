/**
 * Writes the table of all options into docs/configuration.md, from the interface that defines them: `npm run docs`.
 * test/slow/docs/configuration.test.ts fails when they differ.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A row of the table: an option as its source describes it. */
export interface OptionRow {
  readonly name: string;
  readonly type: string;
  readonly effect: string;
  readonly fallback: string;
}

const root = join(import.meta.dirname, '..');

/** The options of `ServerOptions`, in the order of the source. */
export async function readOptions(): Promise<OptionRow[]> {
  const source = await readFile(join(root, 'src/server/startup/options.ts'), 'utf8');
  const start = source.indexOf('export interface ServerOptions');
  const body = source.slice(start, source.indexOf('\n}\n', start));
  return [...body.matchAll(/ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}readonly (\w+)\?: ([^;]+);/g)].map(
    ([, comment = '', name = '', type = '']) => {
      const text = comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
      const [effect = '', fallback = '–'] = text.split(/ ?Default: /);
      return { name, type: plainType(type), effect, fallback: fallback.replace(/\.$/, '') };
    },
  );
}

/** The type without its type parameters, which are inferred, and without the `undefined` that every option accepts. */
function plainType(type: string): string {
  const inferred = type
    .replaceAll(/\b(?:TContext|TDataSources)\b/g, 'object')
    .replaceAll('NoInfer<object>', 'object')
    .replaceAll('Promise<object>', 'Promise');
  // Twice, for nested ones.
  return inferred
    .replaceAll(/<[^<>=]*>/g, '')
    .replaceAll(/<[^<>=]*>/g, '')
    .replaceAll('readonly ', '')
    .replace(/^\((.+)\) \| undefined$/, '$1')
    .replace(/ \| undefined$/, '');
}

/** The rows of the table in GitHub's Markdown. */
export function toMarkdown(options: readonly OptionRow[]): string {
  const rows = options.map(({ name, type, fallback, effect }) => toRow([`\`${name}\``, `\`${type}\``, fallback, effect]));
  return [toRow(['Option', 'Type', 'Default', 'Effect']), '| --- | --- | --- | --- |', ...rows].join('\n');
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}

const start = '<!-- options: written by `npm run docs` -->';
const end = '<!-- /options -->';

/** The cells of a page's table by row, without the spaces that the formatter adds. */
export function rowsIn(page: string): string[][] {
  const table = page.slice(page.indexOf(start) + start.length, page.indexOf(end)).trim();
  return cellsOf(table);
}

/** The expected cells. */
export function cellsOf(table: string): string[][] {
  const [, , ...rows] = table.split('\n');
  return rows.map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}

async function writeTable(path: string): Promise<void> {
  const page = await readFile(path, 'utf8');
  const from = page.indexOf(start) + start.length;
  const table = toMarkdown(await readOptions());
  await writeFile(path, `${page.slice(0, from)}\n\n${table}\n\n${page.slice(page.indexOf(end))}`);
}

if (import.meta.main) await writeTable(join(root, 'docs/configuration.md'));
