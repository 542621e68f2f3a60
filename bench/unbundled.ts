/**
 * What bundling saves a cold start: CPU from loading a function for Netlify to its first answer, once as esbuild bundles
 * it, once as it lies in `node_modules`. Measures `dist/`: `npm run build` first. Every run is a fresh process, the two take turns.
 *
 *     node bench/unbundled.ts [runs]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { bundles } from './contestants.ts';
import { median, rounded } from './statistics.ts';

export interface UnbundledResult {
  readonly bundledMilliseconds: number;
  readonly unbundledMilliseconds: number;
  /** The number of files of the package and of graphql that the function loads. */
  readonly files: number;
}

const runs = Number(process.argv[2] ?? 9);
const entry = fileURLToPath(new URL('../dist/esm/netlify.js', import.meta.url));
const source = `
  const before = process.cpuUsage();
  const { createHandler } = await import(${JSON.stringify(entry)});
  const handler = createHandler({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } });
  const request = new Request('https://a.example/graphql', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{ hello }"}',
  });
  const answer = await (await handler(request, {})).text();
  const { user, system } = process.cpuUsage(before);
  if (!answer.includes('world')) throw new Error(answer);
  console.log((user + system) / 1000);
  process.exit(0);`;

mkdirSync(bundles, { recursive: true });
const unbundled = `${bundles}netlify-unbundled.mjs`;
const bundled = `${bundles}netlify-bundled.mjs`;
writeFileSync(unbundled, source);
const { metafile } = await build({
  entryPoints: [unbundled],
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  outfile: bundled,
  metafile: true,
  logLevel: 'error',
});

const samples = { bundled: [] as number[], unbundled: [] as number[] };
for (let round = 0; round <= runs; round += 1) {
  const [one, other] = [cpu(bundled), cpu(unbundled)];
  // The first round only fills the file system's cache.
  if (round === 0) continue;
  samples.bundled.push(one);
  samples.unbundled.push(other);
}
const result: UnbundledResult = {
  bundledMilliseconds: rounded(median(samples.bundled)),
  unbundledMilliseconds: rounded(median(samples.unbundled)),
  files: Object.keys(metafile.inputs).length - 1,
};
console.log(JSON.stringify(result));

function cpu(file: string): number {
  return Number(execFileSync(process.execPath, [file], { encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } }));
}
