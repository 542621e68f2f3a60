import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Writes the files of docs/clients.md into a folder within this one, where their code finds the clients. */
export async function writePageFiles() {
  const folder = await mkdtemp(join(import.meta.dirname, '.page-'));
  const page = await readFile(join(import.meta.dirname, '../../../docs/clients.md'), 'utf8');
  for (const [, file, code] of page.matchAll(/<!-- file: (\S+) -->\n\n```\w+\n([^]*?)```/g)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), code);
  }
  return {
    load: (file) => import(pathToFileURL(join(folder, file)).href),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
