/**
 * Writes the tables of options into docs/command-line.md, from the table of commands: `npm run docs`.
 * test/slow/docs/command-line.test.ts fails when they differ.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { commands } from '../src/tools/cli/command-table.ts';
import { rowsOf } from '../src/tools/cli/help.ts';

/** Replaces each table of options on the page. */
export function withCommandTables(page: string): string {
  return page.replaceAll(
    /(?<start><!-- options of (?<name>\w+): written by `npm run docs` -->\n)[^]*?(?=<!-- \/options -->)/g,
    (_, start: string, name: string) => {
      const options =
        name === 'several' ? rowsOf(commands['check']!).filter(isShared) : rowsOf(commands[name]!).filter((row) => !isShared(row));
      const rows = options.map(({ term, help }) => `| \`${term}\` | ${help} |`);
      return `${start}\n${['| Option | Effect |', '| --- | --- |', ...rows].join('\n')}\n\n`;
    },
  );
}

/** True for the options of several commands, which have a table of their own. */
function isShared({ term }: { readonly term: string }): boolean {
  return /^--(?:functions?|env) /.test(term);
}

if (import.meta.main) {
  const path = join(import.meta.dirname, '../docs/command-line.md');
  await writeFile(path, withCommandTables(await readFile(path, 'utf8')));
}
