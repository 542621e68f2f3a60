import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { codeBlocks } from './markdown.ts';
import type { CodeBlock } from './markdown.ts';
import { runTypeScript } from './run-typescript.ts';

const root = join(import.meta.dirname, '../..');

/** What pages leave out: code around fragments, modules they import, and packages that are not installed here. */
export interface SnippetSurroundings {
  /** Code by name, in which a fragment takes the place of the line `// …`. */
  readonly wrappers: Readonly<Record<string, string>>;
  /** Files of every page's folder, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** More files of one page's folder, by page and path. */
  readonly filesOf: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Files of node_modules, by path. */
  readonly packages: Readonly<Record<string, string>>;
}

/** One TypeScript block of a page, as a file. */
export interface Snippet {
  /** For people: page and line. */
  readonly place: string;
  readonly block: CodeBlock;
  /** Relative to the folder. */
  readonly file: string;
}

/** The TypeScript of some pages in a temporary folder, with a folder for each page. */
export interface SnippetFolder {
  readonly directory: string;
  readonly snippets: readonly Snippet[];
  /** What tsc has against the snippets, for each complaint a line. */
  compile(): Promise<string[]>;
  remove(): Promise<void>;
}

/**
 * Writes the blocks into .cache/ of the checkout: there, and nowhere outside of it, `graphql-functions` is this package as
 * it has been built, and Node takes the types away. Blocks that name a real part are compiled and run by test/real/recipes.
 */
export async function writeSnippets(pages: Readonly<Record<string, string>>, surroundings: SnippetSurroundings): Promise<SnippetFolder> {
  await mkdir(join(root, '.cache'), { recursive: true });
  const directory = await mkdtemp(join(root, '.cache/snippets-'));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  };

  const snippets: Snippet[] = [];
  for (const [page, markdown] of Object.entries(pages)) {
    const folder = page.replaceAll(/\W/g, '-');
    const files = { ...surroundings.files, ...surroundings.filesOf[page] };
    for (const [name, text] of Object.entries(files)) await write(`${folder}/${name}`, text);
    for (const block of codeBlocks(markdown).filter(({ language, notes }) => language === 'ts' && notes['part'] === undefined)) {
      const file = `${folder}/${block.notes['file'] ?? placeInProject(block)}`;
      const place = `${page}:${block.line}`;
      await write(file, wrapped(block, place, surroundings));
      snippets.push({ place, block, file });
    }
  }
  for (const [path, text] of Object.entries(surroundings.packages)) await write(`node_modules/${path}`, text);
  await write('tsconfig.json', JSON.stringify(tsconfig));
  return {
    directory,
    snippets,
    compile: () => runTypeScript(directory),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** As in a reader's project: a function is in functions/, and a program beside it. What it imports says which it is. */
function placeInProject({ text, line }: CodeBlock): string {
  return /from '\.\/graphql\//.test(text) ? `line-${line}.ts` : `functions/line-${line}.ts`;
}

/** Without `paths`: what is checked is the types that users get. */
const tsconfig = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: { paths: {}, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
  include: ['.'],
};

function wrapped({ text, notes }: CodeBlock, place: string, { wrappers }: SnippetSurroundings): string {
  const name = notes['wrapper'];
  // A free port, whatever the page says: other servers may be running.
  const code = text.replaceAll('port: 4000', 'port: 0');
  if (name === undefined) return code;
  const wrapper = wrappers[name];
  if (wrapper === undefined) throw new Error(`${place} names the wrapper "${name}", which is not there.`);
  return wrapper.replace(/^[ \t]*\/\/ …$/m, () => code);
}
