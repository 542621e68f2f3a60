import { dirname, join } from 'node:path';

import type { Parse } from './parser.ts';
import type { Node } from './references.ts';

/** A file of the project that is being changed. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
  readonly program: Node;
}

/** The files of a project before one step of the migration. */
export class Project {
  readonly #parse: Parse;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #parsed = new Map<string, SourceFile | undefined>();

  constructor(parse: Parse, texts: ReadonlyMap<string, string>) {
    this.#parse = parse;
    this.#texts = texts;
  }

  /** Undefined for a file that is not part of the project or cannot be parsed. */
  read(file: string): SourceFile | undefined {
    if (!this.#parsed.has(file)) {
      const text = this.#texts.get(file);
      this.#parsed.set(file, text === undefined ? undefined : this.#tryToParse(file, text));
    }
    return this.#parsed.get(file);
  }

  /** The file of a relative import, with any extension that TypeScript and bundlers accept. */
  resolve(from: string, specifier: string): string | undefined {
    if (!specifier.startsWith('.')) return undefined;
    const path = join(dirname(from), specifier);
    const stem = path.replace(/\.[cm]?jsx?$/, '');
    const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '/index.ts', '/index.js'];
    return [path, ...endings.map((ending) => stem + ending)].find((candidate) => this.#texts.has(candidate));
  }

  /** True when a file of the project has such a text. */
  someText(holds: (text: string) => boolean): boolean {
    return [...this.#texts.values()].some(holds);
  }

  /** The files that import a file, with the import statement. */
  importersOf(file: string): { readonly source: SourceFile; readonly statement: Node }[] {
    const name = /([^/]+?)(?:\/index)?\.\w+$/.exec(file)?.[1] ?? file;
    return [...this.#texts].flatMap(([candidate, text]) => {
      const source = candidate !== file && text.includes(name) ? this.read(candidate) : undefined;
      const statements: Node[] = source?.program.body ?? [];
      return statements
        .filter(({ type, source: from }) => type === 'ImportDeclaration' && this.resolve(candidate, from.value) === file)
        .map((statement) => ({ source: source!, statement }));
    });
  }

  #tryToParse(file: string, text: string): SourceFile | undefined {
    try {
      return { file, text, program: this.#parse(file, text) };
    } catch {
      return undefined;
    }
  }
}
