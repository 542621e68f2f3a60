/**
 * Prints the sizes of bundles with this package, and fails if a bundle exceeds its limit.
 *
 * Each bundle is a function that serves one field, bundled by esbuild as for Lambda: one minified ES module with all dependencies.
 * `bare` is the same with graphql-js alone.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

const room = 1.03;
/** The bundle that may contain graphql-js's executor. */
const withParts = 'fetch, parts';

/** Tools for development, pages, and code for other environments. None of it may be in a bundle. */
const forbidden =
  /@graphql-tools\/|^dist\/esm\/(?:cli\/|(?:checks|landing-page|node|testing|v3[\w-]*|verify)\.js$|chunks\/(?:explain|html|landing-page|v3-servers|verify)\.js$)/;

/** graphql-js's executor, recognized by its largest file. Only applications that import it or incremental delivery have it. */
const graphqlJSExecutor = /\/graphql\/execution\/Executor\.mjs$/;

interface Bundle {
  readonly name: string;
  readonly bytes: number;
  readonly gzip: number;
  /** The files in the bundle. */
  readonly files: readonly string[];
}

const oneField = "{ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } }";
const serve = (options: string): string => `export default createHandler(${options});`;
const onLambda = "import { createHandler } from 'graphql-functions/aws-lambda';";

/**
 * The functions, with the bytes (gzip) that each had above the bare one when the number was last set. A bundle may grow by the factor
 * `room`. A commit that needs more sets the number, and says what the bytes are for.
 */
const functions: Readonly<Record<string, readonly [size: number, code: string]>> = {
  'aws-lambda': [58_496, `${onLambda} ${serve(oneField)}`],
  fetch: [60_320, `import { createHandler } from 'graphql-functions/fetch'; ${serve(oneField)}`],
  netlify: [61_356, `import { createHandler } from 'graphql-functions/netlify'; ${serve(oneField)}`],
  'aws, streamed': [
    62_068,
    `import { createStreamingHandler } from 'graphql-functions/aws-lambda'; export default createStreamingHandler(${oneField});`,
  ],
  index: [63_166, `import { createHandler } from 'graphql-functions'; ${serve(oneField)}`],
  // With @defer and @stream.
  [withParts]: [
    67_461,
    `import { createHandler } from 'graphql-functions/fetch'; import { incrementalDelivery } from 'graphql-functions/incremental';
     ${serve(`{ ...${oneField}, incrementalDelivery: incrementalDelivery() }`)}`,
  ],
  // The plugin and the store for Redis.
  'aws, idempotency': [
    64_034,
    `${onLambda} import { idempotency, redisStore } from 'graphql-functions/idempotency';
     const plugins = [idempotency({ store: redisStore(globalThis.evaluate), identity: () => 'everyone' })];
     ${serve(`{ ...${oneField}, plugins }`)}`,
  ],
  // Points without a store: those for Redis and others are separate.
  'aws, budget': [
    65_255,
    `${onLambda} import { budget } from 'graphql-functions/budget';
     const plugins = [budget({ store: globalThis.store, identity: () => 'everyone', capacity: 1, refillPerSecond: 1, whenStoreFails: 'allow' })];
     ${serve(`{ ...${oneField}, plugins }`)}`,
  ],
  // The tools of trusted documents, with schemas that refer to definitions, and those of explore: 5,700 bytes.
  'aws, mcp': [
    72_367,
    `${onLambda} import { mcp, mcpDefinitions } from 'graphql-functions/mcp';
     const { typeDefs, ...others } = ${oneField};
     ${serve("{ ...others, typeDefs: [mcpDefinitions, typeDefs], plugins: [mcp({ name: 'books', version: '1.0.0' })] }")}`,
  ],
  // A federation subgraph.
  'aws, subgraph': [
    63_064,
    `${onLambda} import { subgraph } from 'graphql-functions/subgraph';
     ${serve(`subgraph({ ...${oneField}, routerSecret: { secrets: () => ['secret'] } })`)}`,
  ],
};

if (!existsSync(join(root, 'dist/esm/index.js'))) throw new Error('There is no dist/ to measure: run `npm run build` first.');
const bare = await bundle('bare', `import { create } from './bench/contestants/bare.ts'; export const handler = create(${oneField});`);
const handlers = await Promise.all(Object.entries(functions).map(([name, [, code]]) => bundle(name, code)));
const example = await bundle('example', "export { default } from './functions/graphql.ts';");

printTable([bare, ...handlers, example], bare);
const complaints = [...handlers.flatMap(overBudget), ...[...handlers, example].flatMap(forbiddenIn)];
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
else
  console.log(
    `\nNo bundle is more than ${Math.round((room - 1) * 100)} % above its size in scripts/size.ts. Bare is graphql-js ${await versionOf('graphql')}.`,
  );

async function bundle(name: string, contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, sourcefile: 'function.ts', loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // The paths of the root's tsconfig.json lead to the sources.
    tsconfigRaw: {},
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output!.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput === 0 ? [] : path));
  return { name, bytes: file!.contents.length, gzip: gzipSync(file!.contents, { level: 9 }).length, files };
}

function overBudget({ name, gzip }: Bundle): string[] {
  const above = gzip - bare.gzip;
  const most = Math.floor((functions[name]?.[0] ?? 0) * room);
  return above <= most
    ? []
    : [
        `${name} has ${number(above)} bytes of gzip above bare graphql-js; at most ${number(most)} are allowed. ` +
          `If every user of this bundle needs what is new, set its number in scripts/size.ts to ${number(above)} and give the reason in the commit; ` +
          'else make it an import of those who do.',
      ];
}

function forbiddenIn({ name, files }: Bundle): string[] {
  return files
    .filter((file) => forbidden.test(file) || (graphqlJSExecutor.test(file) && name !== withParts))
    .map((file) => `${name} contains ${file}, which no function needs.`);
}

function printTable(bundles: readonly Bundle[], base: Bundle): void {
  console.log(`${''.padEnd(20)}    minified        gzip  above bare`);
  for (const { name, bytes, gzip } of bundles)
    console.log(name.padEnd(20) + [bytes, gzip, gzip - base.gzip].map((size) => number(size).padStart(12)).join(''));
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

async function versionOf(name: string): Promise<string> {
  return (JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version;
}
