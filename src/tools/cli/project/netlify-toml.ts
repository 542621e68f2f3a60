import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

import type { Problem } from './problem.ts';

/** The settings for functions in netlify.toml. */
export interface NetlifySettings {
  /** The deployed folder, relative to the project. Undefined: Netlify's default. */
  readonly directory: string | undefined;
  /** The line that sets `directory`. */
  readonly line: number | undefined;
  /** True when the build command writes that folder: its files are bundles, and the sources are elsewhere. */
  readonly isOutput: boolean;
  /** The first line that is not valid TOML, because of which Netlify rejects the file. */
  readonly problem: Problem | undefined;
}

/** Reads a project's netlify.toml. Undefined when it has none. */
export async function readNetlifySettings(project: string): Promise<NetlifySettings | undefined> {
  const file = join(project, 'netlify.toml');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { values, problem } = parseSettings(text);
  const directory = values.get('functions.directory') ?? values.get('build.functions');
  const command = await withScripts(values.get('build.command')?.value, project);
  return {
    directory: directory?.value,
    line: directory?.line,
    isOutput: directory !== undefined && names(command, relative(project, resolve(project, directory.value))),
    problem: problem && { file, ...problem },
  };
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

interface Setting {
  readonly value: string;
  readonly line: number;
}

interface ParsedSettings {
  /** String values, by "table.key". */
  readonly values: ReadonlyMap<string, Setting>;
  readonly problem: { readonly line: number; readonly column: number; readonly message: string } | undefined;
}

const bareKey = String.raw`(?:[\w-]+|"[^"\n]*"|'[^'\n]*')`;
const header = new RegExp(String.raw`^\[\[?\s*(${bareKey}(?:\s*\.\s*${bareKey})*)\s*\]\]?$`);
const assignment = new RegExp(String.raw`^(${bareKey}(?:\s*\.\s*${bareKey})*)\s*=\s*([^]*)$`);
/** A complete value: a string, number, date, boolean, list or inline table. */
const whole = /^(?:"""[^]*"""|'''[^]*'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|true|false|[+-]?(?:inf|nan)|[+-]?[\d][\w:.+ -]*|\[[^]*\]|\{[^]*\})$/;

/** Parses the subset of TOML that the settings need, and finds the first invalid statement. */
function parseSettings(text: string): ParsedSettings {
  const values = new Map<string, Setting>();
  let table = '';
  for (const { line, statement } of statementsOf(text)) {
    const [, name] = header.exec(statement) ?? [];
    const [, key, value = ''] = assignment.exec(statement) ?? [];
    if (name !== undefined) table = name;
    else if (key !== undefined && whole.test(value)) {
      const content = textIn(value);
      if (content !== undefined) values.set(table === '' ? key : `${table}.${key}`, { value: content, line });
    } else {
      return { values, problem: { line, column: 1, message: invalidMessage(key, value) } };
    }
  }
  return { values, problem: undefined };
}

function invalidMessage(key: string | undefined, value: string): string {
  const expected =
    key === undefined
      ? 'Expected a table like [functions], or a setting like directory = "functions".'
      : `The value of ${key} is not valid TOML: ${value === '' ? 'it is empty' : value}. Put text in quotes: ${key} = "functions".`;
  return `netlify.toml is not valid, so Netlify refuses to build. ${expected}`;
}

/** Statements without comments. A list, table or string that is open at the end of a line continues on the next line. */
function* statementsOf(text: string): Generator<{ line: number; statement: string }> {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    let statement = withoutComment(lines[at] ?? '');
    while (isOpen(statement) && at + 1 < lines.length) statement += `\n${withoutComment(lines[++at] ?? '')}`;
    if (statement.trim() !== '') yield { line, statement: statement.trim() };
  }
}

const literal = /"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;

function withoutComment(line: string): string {
  // A "#" in quotes does not begin a comment.
  const masked = line.replaceAll(literal, (match) => '_'.repeat(match.length));
  const at = masked.indexOf('#');
  return at < 0 ? line : line.slice(0, at);
}

function isOpen(statement: string): boolean {
  for (const mark of ['"""', "'''"]) if (statement.split(mark).length % 2 === 0) return true;
  const value = statement.slice(statement.indexOf('=') + 1).trim();
  if (!/^[[{]/.test(value) || header.test(statement.trim())) return false;
  const code = value.replaceAll(literal, '');
  return code.split(/[[{]/).length > code.split(/[\]}]/).length;
}

function textIn(value: string): string | undefined {
  const [, long, basic, plain] = /^(?:(?:"""|''')\n?([^]*)(?:"""|''')|"([^]*)"|'([^]*)')$/.exec(value) ?? [];
  return long ?? basic?.replaceAll(/\\(["\\])/g, '$1') ?? plain;
}
