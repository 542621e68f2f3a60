import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { codeBlocks } from './markdown.ts';
import type { CodeBlock } from './markdown.ts';
import { runTypeScript } from './run-typescript.ts';
import { writeFiles } from './write-files.ts';

const root = join(import.meta.dirname, '../..');

/** The code that pages omit: code around fragments, imported modules, and packages that are not installed here. */
export interface SnippetSurroundings {
  /** Code by name, in which a fragment replaces the line `// …`. */
  readonly wrappers: Readonly<Record<string, string>>;
  /** Files of every page's folder, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** More files of one page's folder, by page and path. */
  readonly filesOf: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Packages, by name. */
  readonly packages: Readonly<Record<string, readonly [types: string, code: string]>>;
}

/** One TypeScript block of a page, as a file. */
export interface Snippet {
  /** The page and line, for messages. */
  readonly place: string;
  readonly block: CodeBlock;
  /** The path, relative to the folder. */
  readonly file: string;
}

/** The TypeScript of some pages in a temporary folder, with a folder for each page. */
export interface SnippetFolder {
  readonly directory: string;
  readonly snippets: readonly Snippet[];
  /** The error messages of tsc about the snippets, one per line. */
  compile(): Promise<string[]>;
  remove(): Promise<void>;
}

/**
 * Writes the blocks into .cache/ of the checkout, because only within the checkout `graphql-functions` resolves to the built package
 * and Node strips types. test/real/recipes compiles and runs the blocks that name a real part.
 */
export async function writeSnippets(pages: Readonly<Record<string, string>>, surroundings: SnippetSurroundings): Promise<SnippetFolder> {
  await mkdir(join(root, '.cache'), { recursive: true });
  const directory = await mkdtemp(join(root, '.cache/snippets-'));
  const snippets: Snippet[] = [];
  const written: Record<string, string> = { 'tsconfig.json': JSON.stringify(tsconfig) };
  for (const [page, markdown] of Object.entries(pages)) {
    const folder = page.replaceAll(/\W/g, '-');
    const files = { ...surroundings.files, ...surroundings.filesOf[page] };
    for (const [name, text] of Object.entries(files)) written[`${folder}/${name}`] = text;
    for (const block of codeBlocks(markdown).filter(({ language, notes }) => language === 'ts' && notes['part'] === undefined)) {
      const file = `${folder}/${block.notes['file'] ?? placeInProject(block)}`;
      const place = `${page}:${block.line}`;
      written[file] = wrapped(block, place, surroundings);
      snippets.push({ place, block, file });
    }
  }
  for (const [name, [types, code]] of Object.entries(surroundings.packages)) {
    written[`node_modules/${name}/package.json`] = JSON.stringify({ name, type: 'module', exports: packageExports });
    written[`node_modules/${name}/index.d.ts`] = types;
    written[`node_modules/${name}/index.js`] = code;
  }
  await writeFiles(directory, written);
  return {
    directory,
    snippets,
    compile: () => runTypeScript(directory),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

const packageExports = { types: './index.d.ts', default: './index.js' };

/** The place of the file in a reader's project: functions/ for a function, the folder next to it for a program. The imports tell which it is. */
function placeInProject({ text, line }: CodeBlock): string {
  return /from '\.\/graphql\//.test(text) ? `line-${line}.ts` : `functions/line-${line}.ts`;
}

/** Has no `paths`, because the check must read the types that users get. */
const tsconfig = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: { paths: {}, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
  include: ['.'],
};

function wrapped({ text, notes }: CodeBlock, place: string, { wrappers }: SnippetSurroundings): string {
  const name = notes['wrapper'];
  // Uses a free port instead of the page's, because other servers may be running.
  const code = text.replaceAll('port: 4000', 'port: 0');
  if (name === undefined) return code;
  const wrapper = wrappers[name];
  if (wrapper === undefined) throw new Error(`${place} names the wrapper "${name}", which is not there.`);
  return wrapper.replace(/^[ \t]*\/\/ …$/m, () => code);
}
