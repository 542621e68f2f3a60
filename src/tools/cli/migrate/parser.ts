import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';

import { firstLineOf } from '../../../shared/index.ts';
import type { Terminal } from '../project/paint.ts';
import { DevError } from '../project/problem.ts';
import type { Node } from './references.ts';

/** Parses a file's text as ESTree. Throws for invalid text. */
export type Parse = (file: string, text: string) => Node;

// Any: neither parser is a dependency, so that servers do not install one.
type Loaded = any;

const parsers: Readonly<Record<string, (loaded: Loaded) => Parse>> = {
  '@babel/parser': (babel) => (file, text) => babel.parse(text, babelOptions(file)).program,
  'oxc-parser': (oxc) => (file, text) => parseWithOxc(oxc, file, text),
};

/** The project's parser, or one that npm downloads if the user agrees. Throws an error that says how to agree. */
export async function findParser(directory: string, hasAgreed: boolean, terminal: Terminal): Promise<Parse> {
  for (const place of [join(directory, 'package.json'), import.meta.url]) {
    const parse = loadParser(place);
    if (parse !== undefined) return parse;
  }
  if (!hasAgreed && !(await confirmDownload()))
    throw new DevError(
      `migrate reads code with ${Object.keys(parsers).join(' or ')}, but the project has neither. ` +
        'Pass --yes to download @babel/parser into a temporary folder.',
    );
  terminal.log('Downloading @babel/parser …');
  return fetchParser();
}

function loadParser(place: string | URL): Parse | undefined {
  const load = createRequire(place);
  for (const [name, toParse] of Object.entries(parsers)) {
    try {
      return toParse(load(name));
    } catch {
      // The next parser is tried.
    }
  }
  return undefined;
}

async function confirmDownload(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^(?:y(?:es)?)?$/i.test(await lines.question('migrate needs a parser. Download @babel/parser with npm? [Y/n] '));
  } finally {
    lines.close();
  }
}

async function fetchParser(): Promise<Parse> {
  const folder = await mkdtemp(join(tmpdir(), 'graphql-functions-'));
  try {
    const argv = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '@babel/parser@^7'];
    await promisify(execFile)('npm', argv, { shell: process.platform === 'win32' });
    return loadParser(join(folder, 'package.json'))!;
  } catch (cause) {
    throw new DevError(`npm could not download @babel/parser: ${firstLineOf(cause)}`, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function babelOptions(file: string): object {
  const isTypeScript = /\.[mc]?tsx?$/.test(file);
  const plugins = ['estree', 'decorators-legacy', ...(isTypeScript ? ['typescript'] : []), ...(/\.[mc]?ts$/.test(file) ? [] : ['jsx'])];
  return { sourceType: 'unambiguous', allowReturnOutsideFunction: true, createImportExpressions: true, plugins };
}

function parseWithOxc(oxc: Loaded, file: string, text: string): Node {
  const { program, errors } = oxc.parseSync(file, text);
  if (errors.length > 0) throw new SyntaxError(errors[0].message);
  return program;
}
