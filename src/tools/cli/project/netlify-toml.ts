import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

import { TomlError, parse } from 'smol-toml';
import type { TomlTable } from 'smol-toml';

import { isRecord } from '../../../shared/index.ts';
import type { Problem } from './problem.ts';

/** The settings for functions in netlify.toml. */
export interface NetlifySettings {
  /** The deployed folder, relative to the project. Undefined: Netlify's default. */
  readonly directory: string | undefined;
  /** The line that sets `directory`. */
  readonly line: number | undefined;
  /** True when the build command writes that folder: its files are bundles, and the sources are elsewhere. */
  readonly isOutput: boolean;
  /** The first mistake in a file that is not valid TOML, which Netlify rejects. Nothing else of such a file is read. */
  readonly problem: Problem | undefined;
}

/** Reads a project's netlify.toml. Undefined when it has none. */
export async function readNetlifySettings(project: string): Promise<NetlifySettings | undefined> {
  const file = join(project, 'netlify.toml');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { settings, problem } = parseSettings(text);
  const directory = textAt(settings, 'functions', 'directory') ?? textAt(settings, 'build', 'functions');
  const command = await withScripts(textAt(settings, 'build', 'command'), project);
  return {
    directory,
    line: directory === undefined ? undefined : lineOf(directory, text),
    isOutput: directory !== undefined && names(command, relative(project, resolve(project, directory))),
    problem: problem && { file, ...problem },
  };
}

/** The first line that sets a key to this value, as far as it has no escapes. */
function lineOf(value: string, text: string): number | undefined {
  const at = text.split('\n').findIndex((line) => /^\s*[\w."']*(?:directory|functions)["']?\s*=/.test(line) && line.includes(value));
  return at < 0 ? undefined : at + 1;
}

/** A shell command, and the scripts of package.json that it runs. */
async function withScripts(command = '', project: string): Promise<string> {
  const runs = Array.from(command.matchAll(/\b(?:npm|pnpm|yarn|bun) run ([\w:.-]+)/g), ([, name = '']) => name);
  if (runs.length === 0) return command;
  const scripts = await readScripts(project);
  return [command, ...runs.map((name) => scripts[name] ?? '')].join(' && ');
}

async function readScripts(project: string): Promise<Readonly<Record<string, string>>> {
  try {
    const { scripts } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as { scripts?: Record<string, string> };
    return scripts ?? {};
  } catch {
    // There is no package.json, or npm will say what is wrong with it.
    return {};
  }
}

/** True when a shell command contains a path, as in `--outdir=built` or `tsc --outDir ./built`. */
function names(command: string, path: string): boolean {
  return command.split(/[\s="']+/).some((word) => word.replace(/^\.\//, '').replace(/\/+$/, '') === path);
}

type Parsed =
  | { readonly settings: TomlTable; readonly problem?: undefined }
  | { readonly settings?: undefined; readonly problem: { readonly line: number; readonly column: number; readonly message: string } };

function parseSettings(text: string): Parsed {
  try {
    return { settings: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column, message } = error;
    const [reason = ''] = message.split('\n');
    return { problem: { line, column, message: `netlify.toml is not valid, so Netlify refuses to build. ${reason}. ${example}` } };
  }
}

const example = 'Text needs quotes, as in directory = "functions".';

function textAt(settings: TomlTable | undefined, table: string, key: string): string | undefined {
  const entries = settings?.[table];
  const value = isRecord(entries) ? entries[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}
