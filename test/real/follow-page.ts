import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { codeBlocks } from '../support/markdown.ts';
import type { CodeBlock } from '../support/markdown.ts';
import { partNamed } from './parts.ts';

const root = join(import.meta.dirname, '../..');

/** A reader's folder. */
export interface FollowedPage {
  readonly folder: string;
  /** What every command said, in order. */
  readonly transcript: string;
  remove(): Promise<void>;
}

/**
 * Does what a page says, block by block, in an empty folder: writes the files that it names, and runs its commands in a shell.
 * Throws with the transcript at the first that fails, and where \`dev --query\` does not print what the page shows.
 *
 * One thing differs from a reader's machine: \`npm i graphql-functions\` installs this package as it would be published.
 */
export async function followPage(path: string, until = ''): Promise<FollowedPage> {
  const page = await readFile(join(root, path), 'utf8');
  const text = until === '' ? page : page.slice(0, page.indexOf(until));
  const folder = await mkdtemp(join(tmpdir(), 'reader-'));
  const reader = new Reader(folder);
  await reader.prepare();
  const blocks = codeBlocks(text);
  for (const [at, block] of blocks.entries()) {
    const file = block.notes['file'] ?? nameBefore(text, block);
    if (block.language === 'sh') await reader.run(block.text, blocks[at + 1]?.language === 'json' ? blocks[at + 1]?.text : undefined);
    else if (file !== undefined && block.notes['not in'] === undefined) await reader.write(file, block.text);
  }
  return { folder, transcript: reader.transcript, remove: () => reader.remove() };
}

/** "\`functions/graphql.ts\`:" or "…, \`functions/graphql.ts\`:" in the paragraph above a block. */
function nameBefore(page: string, { line }: CodeBlock): string | undefined {
  const above = page
    .split('\n')
    .slice(0, line - 2)
    .join('\n')
    .trimEnd();
  const [paragraph = ''] = above.split('\n\n').slice(-1);
  return /`([\w./-]+\.(?:ts|toml|json|graphql))`[^`]*:$/.exec(paragraph)?.[1];
}

class Reader {
  transcript = '';
  readonly #folder: string;
  #tools = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** An npm that installs the packed package, and versions of others that can be had. */
  async prepare(): Promise<void> {
    this.#tools = await mkdtemp(join(tmpdir(), 'reader-tools-'));
    await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--pack-destination', this.#tools], { cwd: root });
    const { stdout: npm } = await promisify(execFile)('bash', ['-c', 'command -v npm']);
    const { overrides = {} } = partNamed('codegen').manifest;
    const shim = `#!/usr/bin/env bash
real='${npm.trim()}'
arguments=()
for word in "$@"; do
  if [ "$word" = graphql-functions ]; then word="$(ls "${this.#tools}"/*.tgz)"; fi
  arguments+=("$word")
done
if [ "$1" = i ]; then "$real" pkg set --json overrides='${JSON.stringify(overrides)}' && arguments+=(--no-audit --no-fund --loglevel=error); fi
exec "$real" "\${arguments[@]}"
`;
    await writeFile(join(this.#tools, 'npm'), shim);
    await chmod(join(this.#tools, 'npm'), 0o755);
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.#folder, file)), { recursive: true });
    await writeFile(join(this.#folder, file), text);
  }

  /** A server is left when it serves, and must have printed the answer that the page shows. */
  async run(command: string, answer: string | undefined): Promise<void> {
    // What asks the server of the command before it: that one has answered already.
    if (command.startsWith('curl ')) return;
    const isServer = command.includes('graphql-functions dev');
    const output = await this.#shell(
      isServer ? command.replace('graphql-functions dev', 'graphql-functions dev --port 0') : command,
      isServer,
    );
    if (isServer && answer !== undefined && !output.includes(answer.trim()))
      throw new Error(`The answer is another one than on the page:\n${this.transcript}`);
  }

  #shell(command: string, isServer: boolean): Promise<string> {
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, NODE_ENV: ___, ...environment } = process.env;
    const PATH = [this.#tools, dirname(process.execPath), process.env['PATH']].join(delimiter);
    const child = spawn('bash', ['-ec', command], {
      cwd: this.#folder,
      env: { ...environment, PATH },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 110_000);
    let output = '';
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (isServer && output.includes('Ctrl+C')) process.kill(-child.pid!, 'SIGTERM');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        clearTimeout(timer);
        this.transcript += `$ ${command}${output}\n`;
        if (code === 0 || (isServer && output.includes('Ctrl+C'))) resolve(output);
        else reject(new Error(`A command of the page failed with ${code}:\n${this.transcript}`));
      });
    });
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await rm(this.#tools, { recursive: true, force: true });
  }
}
