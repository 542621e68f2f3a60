import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { codeBlocks } from '../../markdown.ts';
import type { CodeBlock } from '../../markdown.ts';
import { Reader } from './reader.ts';

const root = join(import.meta.dirname, '../../../..');

/** A page, or a part of it. */
export interface PageToFollow {
  readonly page: string;
  /** The text at which the reader stops. Default: the end of the page. */
  readonly until?: string;
}

/**
 * Follows pages block by block in an empty folder: writes the files that they name, and runs their commands in a shell. Throws an
 * error with the transcript if a command fails or does not print the output that the page shows below it.
 *
 * It skips blocks with the note `part`: they belong to other projects, whose packages are too large to install for each test.
 *
 * Two things differ from a reader's machine: `npm i graphql-functions` installs this package as it would be published, and `sam` is
 * replaced by a program that bundles in the same way and deploys nothing.
 */
export async function followPages(context: TestContext, ...pages: readonly PageToFollow[]): Promise<Reader> {
  const reader = await Reader.start(context);
  for (const { page, until } of pages) {
    const text = await readFile(join(root, page), 'utf8');
    await follow(reader, until === undefined ? text : text.slice(0, text.indexOf(until)));
  }
  await reader.leaveServer();
  return reader;
}

async function follow(reader: Reader, text: string): Promise<void> {
  const blocks = codeBlocks(text);
  for (const [at, block] of blocks.entries()) {
    const file = block.notes['file'] ?? nameBefore(text, block);
    const next = blocks[at + 1];
    const shown = next?.language === 'json' && nameBefore(text, next) === undefined ? next.text : undefined;
    if (block.notes['not followed'] !== undefined || block.notes['part'] !== undefined) continue;
    if (block.language === 'sh') await reader.run(block.text, shown);
    else if (file !== undefined && block.notes['not in'] === undefined) await reader.write(file, block.text);
  }
}

/** "`functions/graphql.ts`:" or "…, `functions/graphql.ts`:" in the paragraph above a block. */
function nameBefore(page: string, { line }: Pick<CodeBlock, 'line'>): string | undefined {
  const above = page
    .split('\n')
    .slice(0, line - 2)
    .join('\n')
    .replace(/(?:\n*<!--[^>]*-->)+\s*$/, '')
    .trimEnd();
  const [paragraph = ''] = above.split('\n\n').slice(-1);
  return /`([\w./-]+\.(?:ts|toml|json|graphql|yaml))`[^`]*:$/.exec(paragraph)?.[1];
}
