import { resolve } from 'node:path';

import type { BuildArguments } from '../arguments.ts';
import { findFunction } from '../project/functions-folder.ts';
import type { Terminal } from '../project/terminal.ts';
import { writeCodeCache } from './code-cache.ts';

/** Writes a folder to deploy: the bundled function, and V8's code cache for it. Returns the exit code. */
export async function runBuild(settings: BuildArguments, directory: string, terminal: Terminal): Promise<number> {
  const { out: folder, nodeFlags: flags } = settings;
  const { file } = await findFunction(directory, settings.functions, settings.function);
  await writeCodeCache({ file, folder: resolve(directory, folder), flags });
  terminal.log(
    `Wrote ${folder}: deploy it unchanged, with \`Handler: index.handler\` on Lambda. Its code cache works only with Node.js ${process.versions.node}.`,
  );
  return 0;
}
