import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import type { InitArguments } from '../arguments.ts';
import type { Workplace } from '../documents/documents.ts';
import { DevError } from '../project/problem.ts';
import { askForChoices } from './ask-for-choices.ts';
import { composeProject } from './compose-project.ts';
import type { InitAPI, ProjectFiles } from './compose-project.ts';

/** Makes a project. Throws a DevError, before it writes anything, if one of the files exists. Returns the exit code. */
export async function runInit(settings: InitArguments, { directory, terminal }: Workplace): Promise<number> {
  const folder = resolve(directory, settings.folder);
  const choices = await askForChoices(settings);
  const files = await composeProject(choices, basename(folder));
  await assertNoneExists(files, folder);
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // "wx" does not overwrite a file that another program has written meanwhile.
    await writeFile(join(folder, path), text, { flag: 'wx' });
  }
  const shown = folder === resolve(directory) ? '' : settings.folder;
  terminal.log(`Wrote ${files.size} files${shown === '' ? '' : ` in ${shown}`}:`);
  for (const path of [...files.keys()].toSorted()) terminal.log(`  ${path}`);
  terminal.log(['\nNext:', ...nextCommands(shown)].join('\n  '));
  terminal.log(`\n${consequences[choices.api]}`);
  return 0;
}

async function assertNoneExists(files: ProjectFiles, folder: string): Promise<void> {
  const paths = [...files.keys()];
  const areTaken = await Promise.all(paths.map((path) => isTaken(join(folder, path))));
  const taken = paths.filter((_, at) => areTaken[at]).toSorted();
  if (taken.length === 0) return;
  throw new DevError(
    `init does not overwrite files. These already exist in ${folder}:\n  ${taken.join('\n  ')}\n` +
      'Nothing was written. Choose a new folder: graphql-functions init <folder>',
  );
}

/** True for a file, for a link that leads nowhere, and for a path whose folder is a file. */
async function isTaken(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
  );
}

/** A sentence about each kind of API, printed after `init`. */
const consequences: Readonly<Record<InitAPI, string>> = {
  trusted: 'In production, only the operations in operations/ run. After a change, run: npm run documents',
  open: 'Clients may send any operation, within the limits in graphql/options.ts.',
  subgraph: 'Only the router may call the API: see ROUTER.md.',
};

function nextCommands(folder: string): string[] {
  const enter = folder === '' ? [] : [`cd ${/\s/.test(folder) ? `"${folder}"` : folder}`];
  return [...enter, 'npm install', 'npm test', 'npm run dev'];
}
