/**
 * Prints the sizes of bundles with this package, by folder, and fails if a bundle exceeds its limit.
 *
 * Each bundle is a function that serves one field, bundled by esbuild as for Lambda: one minified ES module with all dependencies.
 * `bare` is the same with graphql-js alone. Sizes of folders are minified bytes; gzip is of the whole file.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import type { BuildResult, Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');

const room = 1.03;
/** The bundle that may contain graphql-js's executor. */
const withParts = 'fetch, parts';

/** Tools for development, pages, and code for other environments. None of it may be in a bundle. */
const forbidden = [
  '@graphql-tools/',
  'tools/',
  'server/node/',
  // Only in bundles of applications that import it.
  'v3/',
];

/** The same among the published files. */
const forbiddenFile =
  /@graphql-tools\/|^dist\/esm\/(?:cli\/|(?:checks|landing-page|node|testing|verify)\.js$|chunks\/(?:explain|html|landing-page|verify)\.js$)/;

/** graphql-js's executor, recognized by its largest file. Only applications that import it or incremental delivery have it. */
const graphqlJSExecutor = "graphql-js's executor";

interface Bundle {
  readonly name: string;
  readonly bytes: number;
  readonly gzip: number;
  /** Minified bytes by folder of this package, or by name of another package. */
  readonly parts: ReadonlyMap<string, number>;
  /** The published files in the bundle. */
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
  'aws-lambda': [55_531, `${onLambda} ${serve(oneField)}`],
  fetch: [57_699, `import { createHandler } from 'graphql-functions/fetch'; ${serve(oneField)}`],
  netlify: [58_670, `import { createHandler } from 'graphql-functions/netlify'; ${serve(oneField)}`],
  'aws, streamed': [
    59_057,
    `import { createStreamingHandler } from 'graphql-functions/aws-lambda'; export default createStreamingHandler(${oneField});`,
  ],
  index: [60_205, `import { createHandler } from 'graphql-functions'; ${serve(oneField)}`],
  // With @defer and @stream.
  [withParts]: [
    64_722,
    `import { createHandler } from 'graphql-functions/fetch'; import { incrementalDelivery } from 'graphql-functions/incremental';
     ${serve(`{ ...${oneField}, incrementalDelivery: incrementalDelivery() }`)}`,
  ],
  // The plugin and the store for Redis.
  'aws, idempotency': [
    60_951,
    `${onLambda} import { idempotency, redisStore } from 'graphql-functions/idempotency';
     const plugins = [idempotency({ store: redisStore(globalThis.evaluate), identity: () => 'everyone' })];
     ${serve(`{ ...${oneField}, plugins }`)}`,
  ],
  // Points without a store: those for Redis and others are separate.
  'aws, budget': [
    61_922,
    `${onLambda} import { budget } from 'graphql-functions/budget';
     const plugins = [budget({ store: globalThis.store, identity: () => 'everyone', capacity: 1, refillPerSecond: 1, whenStoreFails: 'allow' })];
     ${serve(`{ ...${oneField}, plugins }`)}`,
  ],
  // The tools of trusted documents, with schemas that refer to definitions.
  'aws, mcp': [
    62_565,
    `${onLambda} import { mcp, mcpDefinitions } from 'graphql-functions/mcp';
     const { typeDefs, ...others } = ${oneField};
     ${serve("{ ...others, typeDefs: [mcpDefinitions, typeDefs], plugins: [mcp({ name: 'books', version: '1.0.0' })] }")}`,
  ],
  // A federation subgraph.
  'aws, subgraph': [
    59_985,
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

/** Measures the published files. The sizes of folders are from a bundle of the sources. */
async function bundle(name: string, contents: string): Promise<Bundle> {
  const [published, sources] = await Promise.all([bundleFrom('dist', contents), bundleFrom('src', contents)]);
  const [file] = published.outputFiles;
  if (file === undefined) throw new Error(`esbuild made nothing of ${name}.`);
  return {
    name,
    bytes: file.contents.length,
    gzip: gzipSync(file.contents, { level: 9 }).length,
    parts: partsOf(sources.metafile),
    files: Object.keys(published.metafile.inputs),
  };
}

function bundleFrom(folder: 'dist' | 'src', contents: string): Promise<BuildResult<{ write: false; metafile: true }>> {
  return build({
    stdin: { contents, resolveDir: root, sourcefile: 'function.ts', loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // The paths of the root's tsconfig.json lead to the sources.
    ...(folder === 'dist' ? { tsconfigRaw: {} } : { tsconfig: join(root, 'tsconfig.json') }),
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
}

function partsOf({ outputs }: Metafile): Map<string, number> {
  const parts = new Map<string, number>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput === 0) continue;
      const part = partOf(path);
      parts.set(part, (parts.get(part) ?? 0) + bytesInOutput);
    }
  }
  return parts;
}

/** `src/server/http/csrf.ts` → `server/http/`, `src/shared/promise-or-value.ts` → `shared/`, `node_modules/graphql/…` → `graphql`. */
function partOf(path: string): string {
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1];
  if (path.endsWith('/graphql/execution/Executor.mjs')) return graphqlJSExecutor;
  if (dependency !== undefined) return dependency;
  const own = /^src\/((?:server|executor|extensions|tools)\/[^/]+\/|[^/]+\/)/.exec(path);
  return own?.[1] ?? '(the function itself)';
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

function forbiddenIn({ name, parts, files }: Bundle): string[] {
  const found = [
    ...[...parts.keys()].filter((part) => forbidden.some((prefix) => part.startsWith(prefix))),
    ...(parts.has(graphqlJSExecutor) && name !== withParts ? [graphqlJSExecutor] : []),
    ...files.filter((file) => forbiddenFile.test(file)),
  ];
  return found.map((part) => `${name} contains ${part}, which no function needs.`);
}

function printTable(bundles: readonly Bundle[], base: Bundle): void {
  const parts = new Set(bundles.flatMap((one) => [...one.parts].toSorted(([, a], [, b]) => b - a).map(([part]) => part)));
  const row = (label: string, cellOf: (one: Bundle) => number | string): void =>
    console.log(label.padEnd(26) + bundles.map((one) => cellOf(one).toLocaleString('en-US').padStart(12)).join(''));

  row('minified bytes', ({ name }) => name);
  for (const part of parts) row(part, (one) => one.parts.get(part) ?? 0);
  row('whole bundle', ({ bytes }) => bytes);
  row('whole bundle, gzip', ({ gzip }) => gzip);
  row('gzip above bare', ({ gzip }) => gzip - base.gzip);
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

async function versionOf(name: string): Promise<string> {
  return (JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version;
}
