/**
 * Makes V8 compile the functions of a first request when it loads the bundle. V8 compiles functions in parentheses at once, and parses
 * all others twice. `function f() {…}` becomes `var f = (function () {…});`, above the other code of its module, so that it is defined
 * before it is called: there are no import cycles. Functions keep their order, because code compresses better next to similar code: a
 * bundle of aws-lambda is 1.2 KB (gzip) smaller than with all functions at the top of the chunk. Bundlers keep the parentheses.
 *
 * V8's log of a process that answers one request says which functions it needs. Each unneeded one costs 90 µs per KB.
 *
 * This saves 3 % of the CPU time of a cold process with ten types, and 19 % with Node's compile cache, which stores only functions that
 * were compiled at once (`TYPES=10 node bench/cold.ts` with and without the plugin).
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { rolldown, RolldownMagicString } from 'rolldown';
import type { Plugin, RenderedChunk } from 'rolldown';

/** A typical request: variables, fragments, lists, promises. */
const firstRequest = (entry: string): string => `
  import { createHandler } from ${JSON.stringify(entry)};
  const typeDefs = 'enum Sort { NAME } input Filter { name: String } type Query { items(first: Int = 2, sort: Sort, filter: Filter): [Item!]! } type Item { id: ID! name: String tags: [String!] price: Float maker: Maker } type Maker { name: String! }';
  const items = [{ id: '1', name: 'a', tags: ['b'] }, { id: '2', name: 'c', tags: [] }];
  const resolvers = {
    Query: { items: (_, { first }) => items.slice(0, first) },
    Item: { price: async () => 1.5, async maker() { return { name: 'd' }; } },
  };
  const handler = createHandler({ csrfPrevention: true, typeDefs, resolvers });
  const query = 'query Q($first: Int!, $all: Boolean!, $sort: Sort, $filter: Filter) { items(first: $first, sort: $sort, filter: $filter) { id name ...F @include(if: $all) maker { name } } } fragment F on Item { tags price }';
  const body = JSON.stringify({ query, operationName: 'Q', variables: { first: 2, all: true, sort: 'NAME', filter: { name: 'e' } } });
  const headers = { accept: 'application/json', 'content-type': 'application/json', host: 'example.com' };
  const http = { method: 'POST', path: '/graphql', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'x' };
  const event = { version: '2.0', routeKey: '$default', rawPath: '/graphql', rawQueryString: '', headers, requestContext: { http, stage: '$default' }, body, isBase64Encoded: false };
  const { statusCode, body: answer } = await handler(event, {});
  if (statusCode !== 200 || answer.includes('"errors"')) throw new Error(answer);
`;

/** The names of the package's functions that a first request calls. Writes files into `folder`. */
export async function functionsOfFirstRequest(entry: string, folder: string): Promise<ReadonlySet<string>> {
  await mkdir(folder, { recursive: true });
  const [source, program, log] = ['request.mjs', 'program.mjs', 'v8.log'].map((name) => join(folder, name)) as [string, string, string];
  await writeFile(source, firstRequest(entry));
  const bundle = await rolldown({ input: source, platform: 'node', external: ['graphql'], checks: { bundlerTimings: false } });
  await bundle.write({ file: program, format: 'esm' });
  await bundle.close();
  execFileSync(process.execPath, ['--log-function-events', `--logfile=${log}`, '--no-logfile-per-isolate', program], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const lines = (await readFile(log, 'utf8')).split('\n').map((line) => line.split(','));
  const script = lines.find(([kind, , url]) => kind === 'script-details' && url?.endsWith('program.mjs'))?.[1];
  const compiled = lines.filter(([kind, event, id]) => kind === 'function' && event === 'interpreter' && id === script);
  return new Set(compiled.map((parts) => sourceName(parts[7] ?? '')).filter((name) => name !== ''));
}

/** Marks these functions, if they are declarations at the top level of the module: moving those changes nothing. */
export function eagerFunctions(names: ReadonlySet<string>): Plugin {
  return {
    name: 'eager-functions',
    renderChunk(code, { modules }) {
      const text = new RolldownMagicString(code);
      const modulesFrom = startsOf(code, modules);
      let last = 0;
      for (const node of this.parse(code).body) {
        const ofModule = modulesFrom.findLast((start) => start <= node.start) ?? 0;
        // Includes the comment above it.
        const start = Math.max(last, ofModule);
        last = node.end;
        if (node.type !== 'FunctionDeclaration' || !node.id) continue;
        if (names.has(sourceName(node.id.name))) {
          const { name, end } = node.id;
          text.update(node.start, end, `var ${name} = (${node.async ? 'async ' : ''}function${node.generator ? '*' : ''}`);
          text.appendLeft(node.end, ');');
        }
        if (start > ofModule) text.move(start, node.end, ofModule);
      }
      return text;
    },
  };
}

/** Where each module of a chunk begins. */
function startsOf(code: string, modules: RenderedChunk['modules']): number[] {
  const starts: number[] = [];
  let end = 0;
  for (const [id, { code: part }] of Object.entries(modules)) {
    // A module that has only types.
    if (part === null) continue;
    const start = code.indexOf(part, end);
    if (start === -1) throw new Error(`The code of ${id} is not in its chunk.`);
    // After the comment with the module's name.
    starts.push(start + (/^\/\/ .*\n/.exec(part)?.[0].length ?? 0));
    end = start + part.length;
  }
  return starts;
}

/** `parse$1` is the name of a second `parse` in a file. */
function sourceName(name: string): string {
  return name.replace(/\$\d+$/, '');
}
