import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

import { DevError } from '../project/problem.ts';
import type { Node } from './references.ts';
import { toESTree } from './typescript-tree.ts';

/** Text of a file → its tree, in the form of ESTree. Throws for text that does not parse. */
export interface Parser {
  readonly name: string;
  /** True when the tree has all of the file, and not only what names modules. */
  readonly isWhole: boolean;
  readonly parse: (file: string, text: string) => Node;
}

// Any: none of these is a dependency, so that a server installs no parser. A project or its tools bring one.
type Loaded = any;

const makers: Readonly<Record<string, (loaded: Loaded) => Parser | undefined>> = {
  '@babel/parser': (babel) => ({
    name: '@babel/parser',
    isWhole: true,
    parse: (file, text) => babel.parse(text, babelOptions(file)).program,
  }),
  'oxc-parser': (oxc) => ({ name: 'oxc-parser', isWhole: true, parse: (file, text) => parseWithOxc(oxc, file, text) }),
  // TypeScript 7 is there under the same name, and has no parser that JavaScript can call.
  typescript: (ts) => (typeof ts.createSourceFile === 'function' ? typescriptParser(ts) : undefined),
};

/** The first parser that the project has, or the program that runs this command. Throws an error that says how to get one. */
export function findParser(directory: string): Parser {
  for (const place of [join(directory, 'package.json'), import.meta.url]) {
    const load = createRequire(place);
    for (const [name, make] of Object.entries(makers)) {
      const module = loaded(load, name);
      const parser = module === undefined ? undefined : make(module);
      if (parser !== undefined) return parser;
    }
  }
  throw new DevError(
    `Expected the project to have one of the parsers ${Object.keys(makers).join(', ')} (typescript up to version 6), found none. ` +
      'npm install --no-save @babel/parser, and run this again.',
  );
}

function loaded(load: NodeJS.Require, name: string): Loaded {
  try {
    return load(name);
  } catch {
    return undefined;
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

function typescriptParser(ts: Loaded): Parser {
  const kinds: Readonly<Record<string, number>> = { '.tsx': ts.ScriptKind.TSX, '.jsx': ts.ScriptKind.JSX, '.js': ts.ScriptKind.JSX };
  return {
    name: 'typescript',
    isWhole: false,
    parse: (file, text) => {
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kinds[extname(file)] ?? ts.ScriptKind.TS);
      const [problem] = source.parseDiagnostics ?? [];
      if (problem !== undefined) throw new SyntaxError(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
      return toESTree(ts, source);
    },
  };
}
