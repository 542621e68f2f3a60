/**
 * Prints what a bundle with this package weighs, layer by layer, and fails when it weighs too much.
 *
 * Each bundle is a function that serves one field, bundled as for Lambda: esbuild, one minified ES module, everything
 * in it. `bare` is the same with graphql-js alone. Bytes per layer are minified bytes; gzip is of the whole file.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import type { BuildResult, Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');

/**
 * KiB of gzip that a one-field handler may add to the bare one, and what for. A feature that every bundle carries is
 * entered here with what it needs, or it is left out of bundles that do not ask for it.
 */
const allowances: Readonly<Record<string, number>> = {
  'one handler for every event source, a lazy schema, safe defaults': 24.4,
  'limits of depth, cost and size (2.3), persisted queries and trusted documents (0.7)': 4,
  'planned execution (7.2), fast validation (2.1)': 9.2,
  'deadlines, with partial answers from plans; one signal for each operation (2)': 2,
  'what is asked of that which is handed in: parts of an answer, explain, a build (0.9)': 1,
  'no promise from event to result where nothing is asynchronous (0.6)': 1,
  'plugins that wrap requests and operations, and follow calls of data sources: what extensions stand on; nothing goes around their view of a call (0.8)': 1.25,
  'bounds of errors, messages, log lines, answers, their promises and variables, of an element of a batch too (2.7), a logger that cannot fail (0.3)': 3.55,
  "what resolvers get is one execution's own; large plans share a pool; a changed schema is noticed (2.9)": 3,
  'starts that hang, bodies and headers as hosts leave them, contexts of one operation, whose a private answer is, caches that fit a container (2.6)': 3.1,
  'answers and errors that code gives to all users, copied for each: cookies and notes of one reached the next (0.9)': 0.3,
  'the tracing channels of graphql-js on either major (0.5)': 1,
  'variables coerced by what was prepared of their types, code for rows that calls resolvers, and of interfaces, one loop for stages that wait (2.3)': 2.6,
  "resolver maps as they are, header fields of a Request in place, QUERY, defaults of an operation's own (1.9)": 2,
  'bodies and limits that came before, hooks without promises, stages without a list, plugins that are told without closures (3.0)': 3.1,
  "less graphql-js's executor, which bare has and a plan does without": -6,
};
/**
 * KiB beyond those of a handler for Lambda's whole answers, by bundle: adapters of other platforms, and streams. These are subscriptions,
 * with graphql-js's source streams, and the half of @defer and @stream that is HTTP.
 */
const further: Readonly<Record<string, number>> = {
  'aws-lambda': 0,
  fetch: 4,
  netlify: 5.2,
  'aws, streamed': 5.5,
  // Every platform.
  index: 6.5,
  // The directives of @defer and @stream, and graphql-js's executors for them, which are 10 KiB of it.
  'fetch, parts': 18.4,
};
const budget = 1024 * Object.values(allowances).reduce((sum, one) => sum + one, 0);

/** What is a tool for development, or a page, or for another place. None of it may be in a bundle. */
const forbidden = [
  '@graphql-tools/',
  'development/landing-page/',
  'development/explain/',
  'development/check-schema',
  'development/plugin-check',
  'cli/',
  'testing/',
  'node/',
  // Whoever does not import it carries nothing of it.
  'extensions/v3/',
];

/** The same, in what is published. */
const forbiddenFile =
  /@graphql-tools\/|^dist\/esm\/(?:cli\/|(?:checks|explain|landing-page|node|testing)\.js$|chunks\/(?:html|platforms)\.js$)/;

/** graphql-js's executor, by its largest file. Only those who hand it in have it, or incremental delivery. */
const graphqlJSExecutor = "graphql-js's executor";

interface Bundle {
  readonly name: string;
  readonly bytes: number;
  readonly gzip: number;
  /** Minified bytes by layer of this package, or by name of another. */
  readonly parts: ReadonlyMap<string, number>;
  /** What is bundled, as it is published. */
  readonly files: readonly string[];
}

const oneField = "{ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } }";
const streamed = [
  'aws, streamed',
  `import { createStreamingHandler } from 'graphql-functions/aws-lambda'; export default createStreamingHandler(${oneField});`,
] as const;
const entries = ['', '/aws-lambda', '/netlify', '/fetch'].map(
  (path) =>
    [
      path === '' ? 'index' : path.slice(1),
      `import { createHandler } from 'graphql-functions${path}'; export default createHandler(${oneField});`,
    ] as const,
);

/** The option whose value weighs so much that it is handed in. */
const withParts = [
  'fetch, parts',
  `import { createHandler } from 'graphql-functions/fetch'; import { incrementalDelivery } from 'graphql-functions/incremental';
   export default createHandler({ ...${oneField}, incrementalDelivery: incrementalDelivery() });`,
] as const;

if (!existsSync(join(root, 'dist/esm/index.js'))) throw new Error('There is no dist/ to measure: run `npm run build` first.');
const bare = await bundle('bare', `import { create } from './bench/contestants/bare.ts'; export const handler = create(${oneField});`);
const handlers = await Promise.all([...entries, streamed, withParts].map(([name, text]) => bundle(name, text)));
const example = existsSync(join(root, 'functions/graphql.ts'))
  ? [await bundle('example', "export { default } from './functions/graphql.ts';")]
  : [];

printTable([bare, ...handlers, ...example], bare);
const complaints = [...handlers.flatMap(overBudget), ...[...handlers, ...example].flatMap(forbiddenIn)];
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
else console.log(`\nWithin the budget: at most ${number(budget)} bytes of gzip above bare graphql-js ${await versionOf('graphql')}.`);

/** Measures what is published; what it is made of, layer by layer, is told by the sources. */
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
    // This project's own tsconfig.json leads to the sources.
    ...(folder === 'dist' && { tsconfigRaw: {} }),
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

/** `src/http/csrf.ts` → `http/`, `src/fetch.ts` → `(entry)`, `node_modules/graphql/…` → `graphql`. */
function partOf(path: string): string {
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1];
  if (path.endsWith('/graphql/execution/Executor.mjs')) return graphqlJSExecutor;
  if (dependency !== undefined) return dependency;
  const development = /^src\/(development\/(?:[^/]+\/)?[^/]*?)\.ts$/.exec(path)?.[1];
  if (development !== undefined) return development;
  if (path.startsWith('src/extensions/v3/')) return 'extensions/v3/';
  const own = /^src\/(?:([^/]+)\/)?/.exec(path);
  if (own === null) return '(the function itself)';
  return own[1] === undefined ? '(entry)' : `${own[1]}/`;
}

function overBudget({ name, gzip }: Bundle): string[] {
  const above = gzip - bare.gzip;
  const most = budget + 1024 * (further[name] ?? 0);
  return above <= most
    ? []
    : [
        `${name} weighs ${number(above)} bytes of gzip above bare graphql-js; the budget is ${number(most)} (allowances in scripts/size.ts).`,
      ];
}

function forbiddenIn({ name, parts, files }: Bundle): string[] {
  const found = [
    ...[...parts.keys()].filter((part) => forbidden.some((prefix) => part.startsWith(prefix))),
    ...(parts.has(graphqlJSExecutor) && name !== withParts[0] ? [graphqlJSExecutor] : []),
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
