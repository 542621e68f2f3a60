/**
 * Bundle and cold start of graphql-functions/v3 against apollo-server-lambda 3.13, over the same handler: what
 * `npm run build` has built, and the real part of `node test/real/install.ts test:v3`.
 *
 * A cold start is a new process: its CPU time until it has answered the first request, which other work on the machine does
 * not lengthen. Medians of interleaved runs.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'esbuild';

import { partNamed } from '../test/real/parts.ts';

const runs = Number(process.argv[2] ?? 15);
const root = join(import.meta.dirname, '..');
const { folder } = partNamed('version-3');
if (!existsSync(folder)) throw new Error('Install the part first: node test/real/install.ts test:v3');

const work = mkdtempSync(join(tmpdir(), 'bench-v3-'));
const handler = (library: string): string => `
const { ApolloServer, gql } = require('${library}');
const server = new ApolloServer({
  typeDefs: gql\`type Query { hello(name: String): String book: Book } type Book { id: ID! title: String author: Author } type Author { id: ID! name: String books: [Book] }\`,
  resolvers: { Query: { hello: (_, { name }) => 'Hello ' + name, book: () => ({ id: 1, title: 't' }) }, Book: { author: () => ({ id: 2, name: 'n' }) } },
  cache: 'bounded',
  context: ({ event }) => ({ user: event.headers['x-user'] }),
});
exports.handler = server.createHandler();`;
const event = {
  version: '2.0',
  rawPath: '/',
  rawQueryString: '',
  headers: { 'content-type': 'application/json' },
  requestContext: { http: { method: 'POST', path: '/', sourceIp: '192.0.2.1' }, domainName: 'example.com', stage: '$default' },
  body: JSON.stringify({ query: '{ hello(name: "you") book { title author { name } } }' }),
  isBase64Encoded: false,
};

try {
  mkdirSync(join(work, 'node_modules'));
  symlinkSync(root, join(work, 'node_modules/graphql-functions'));
  const theirs = await bundle('theirs', 'apollo-server-lambda', folder);
  const ours = await bundle('ours', 'graphql-functions/v3', work);
  const times = { theirs: [] as number[], ours: [] as number[] };
  for (let run = 0; run < runs; run++) {
    times.theirs.push(coldStart(theirs.file));
    times.ours.push(coldStart(ours.file));
  }
  const [before, after, bare] = [median(times.theirs), median(times.ours), median(times.ours.map(() => bareStart()))];
  console.log(`bundle      ${theirs.bytes} → ${ours.bytes} bytes minified: ${(ours.bytes / theirs.bytes).toFixed(3)}`);
  console.log(
    `cold start  ${before.toFixed(1)} → ${after.toFixed(1)} ms of CPU, of which Node itself is ${bare.toFixed(1)}: ${(after / before).toFixed(3)}`,
  );
  console.log(`without Node's own start: ${((after - bare) / (before - bare)).toFixed(3)}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function bundle(name: string, library: string, resolveDir: string): Promise<{ file: string; bytes: number }> {
  const outfile = join(work, `${name}.cjs`);
  await build({
    stdin: { contents: handler(library), resolveDir },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    outfile,
    logLevel: 'error',
  });
  return { file: outfile, bytes: statSync(outfile).size };
}

/** Milliseconds of CPU time of a process until its first response. */
function coldStart(file: string): number {
  const program = join(work, 'start.cjs');
  writeFileSync(
    program,
    `const { handler } = require(process.argv[2]);
     handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 30000 }).then(({ statusCode, body }) => {
       if (statusCode !== 200) throw new Error(body);
       const { user, system } = process.cpuUsage();
       process.stdout.write(String((user + system) / 1000));
       process.exit(0);
     });`,
  );
  return Number(execFileSync(process.execPath, [program, file], { env: { ...process.env, NODE_ENV: 'production' }, encoding: 'utf8' }));
}

function bareStart(): number {
  return Number(
    execFileSync(
      process.execPath,
      ['--eval', 'const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000))'],
      { encoding: 'utf8' },
    ),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
