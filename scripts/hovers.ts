/**
 * Prints what an editor shows of everything this package exports: `node scripts/hovers.ts [entry …]`, after a build. The texts
 * are the answers of TypeScript's own language server. test/docs/hovers.test.ts compares them with the comments.
 */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const types = join(root, 'dist/esm');

/** A name with a comment, and what an editor shows for it. */
export interface Hover {
  /** Relative to dist/esm. */
  readonly file: string;
  /** The first is 1. */
  readonly line: number;
  readonly name: string;
  /** Without asterisks and white space. */
  readonly comment: string;
  readonly text: string;
}

/** The hovers of all names with a comment in the published types, or in the types of some entries and their shared files. */
export async function readHovers(entries: readonly string[] = []): Promise<Hover[]> {
  const server = new LanguageServer();
  try {
    await server.request('initialize', { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities: {} });
    server.notify('initialized', {});
    const hovers: Hover[] = [];
    for (const file of await typeFiles(entries)) hovers.push(...(await hoversIn(server, file)));
    return hovers;
  } finally {
    server.end();
  }
}

async function typeFiles(entries: readonly string[]): Promise<string[]> {
  const files = await readdir(types, { recursive: true });
  const wanted = files.filter((file) => file.endsWith('.d.ts') && !file.startsWith('cli'));
  return entries.length === 0 ? wanted : wanted.filter((file) => entries.includes(file.replace(/\.d\.ts$/, '')));
}

async function hoversIn(server: LanguageServer, file: string): Promise<Hover[]> {
  const text = await readFile(join(types, file), 'utf8');
  const uri = pathToFileURL(join(types, file)).href;
  server.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'typescript', version: 1, text } });
  const hovers: Hover[] = [];
  for (const { comment, name, offset } of commentsIn(text)) {
    const before = text.slice(0, offset).split('\n');
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    const answer = (await server.request('textDocument/hover', { textDocument: { uri }, position })) as HoverAnswer | null;
    hovers.push({ file, line: position.line + 1, name, comment, text: answer?.contents.value ?? '' });
  }
  return hovers;
}

interface HoverAnswer {
  readonly contents: { readonly value: string };
}

/** Each comment with the name below it. */
function commentsIn(text: string): { comment: string; name: string; offset: number }[] {
  const words = String.raw`(?:(?:export|declare|default|abstract|class|interface|type|const|function|readonly|static|protected|override|get|set|async|new)\s+)*`;
  const commented = new RegExp(String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s*${words}(?=(\[?["']?[\w$]+))`, 'g');
  return [...text.matchAll(commented)].map((match) => {
    const [whole, comment = '', name = ''] = match;
    return { comment: comment.replaceAll(/^\s*\*? ?/gm, '').trim(), name, offset: match.index + whole.length };
  });
}

/** `tsc --lsp`, with one request at a time. */
class LanguageServer {
  readonly #process = spawn(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--lsp', '--stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #count = 0;
  #received = Buffer.alloc(0);

  constructor() {
    this.#process.stdout.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#read();
    });
  }

  request(method: string, params: object): Promise<unknown> {
    const id = ++this.#count;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  end(): void {
    this.#process.kill();
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #read(): void {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n');
      const [, length] = /Content-Length: (\d+)/i.exec(this.#received.subarray(0, Math.max(end, 0)).toString()) ?? [];
      const next = end + 4 + Number(length);
      if (end < 0 || this.#received.length < next) return;
      const message = JSON.parse(this.#received.subarray(end + 4, next).toString()) as { id?: number; method?: string; result?: unknown };
      this.#received = this.#received.subarray(next);
      this.#take(message);
    }
  }

  /** The server requests settings, of which there are none. */
  #take({ id, method, result }: { id?: number; method?: string; result?: unknown }): void {
    if (id === undefined) return;
    if (method === undefined) this.#waiting.get(id)?.(result);
    else this.#send({ id, result: null });
  }
}

if (process.argv[1] === import.meta.filename) {
  for (const { file, line, text } of await readHovers(process.argv.slice(2))) console.log(`${file}:${line}\n${text}\n`);
}
