import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Problem } from '../../checks/for-cli.ts';

/** The line `functions.directory` in netlify.toml. */
export interface NetlifySettings {
  /** The deployed folder, relative to the project. Undefined if the line cannot be understood. */
  readonly directory: string | undefined;
  /** Where the folder is named. */
  readonly place: Required<Omit<Problem, 'message'>>;
  /** True when a build command writes that folder: its files are bundles, and the sources are elsewhere. */
  readonly isOutput: boolean;
}

/** Reads a project's netlify.toml. Undefined if it names no folder. */
export async function readNetlifySettings(project: string): Promise<NetlifySettings | undefined> {
  const file = join(project, 'netlify.toml');
  const text = await readIfThere(file);
  const [before = '', key = '', rest = ''] = /^([^]*^\[functions\][^[]*?^\s*)(directory\s*=\s*)(.*)/m.exec(text)?.slice(1) ?? [];
  if (key === '') return undefined;
  const [, , directory] = /^(["'])([^"'\\]+)\1\s*(?:#.*)?$/.exec(rest.trimEnd()) ?? [];
  const lines = `${before}${directory === undefined ? key : ''}`.split('\n');
  const commands = `${text}${await readIfThere(join(project, 'package.json'))}`;
  const output = /--out-?dir[= ]\\?["']?(?:\.\/)?([\w./-]+)/gi;
  return {
    directory,
    place: { file, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 },
    isOutput: Array.from(commands.matchAll(output), ([, name]) => name).includes(directory?.replaceAll(/^\.\/|\/$/g, '')),
  };
}

async function readIfThere(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
