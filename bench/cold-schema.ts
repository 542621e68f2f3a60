/**
 * What a schema costs a cold process: CPU from loading the bundle to the answer of one small operation.
 *
 *     node bench/cold-schema.ts [runs]
 *
 * Every run is a fresh process; the variants take turns, so that a busy moment of the machine hits all of
 * them. Figures are medians of user plus system CPU time in milliseconds, without the start of Node.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { build } from 'esbuild';
import { buildSchema, getNamedType, isLeafType, isNullableType } from 'graphql';

import { generateSchema } from '../test/support/schema-generator.ts';

const root = resolve(import.meta.dirname, '..');
const runs = Number(process.argv[2] ?? 15);
const sizes = [10, 300, 3000];

/** How each variant makes its schema from `text`, as the code of its bundle. */
const variants: Readonly<Record<string, string>> = {
  makeExecutableSchema: `import { makeExecutableSchema } from '@graphql-tools/schema'; const make = () => makeExecutableSchema({ typeDefs: text() });`,
  buildSchema: `import { buildSchema } from 'graphql'; const make = () => buildSchema(text());`,
  'buildSchema, assumeValid': `import { buildSchema } from 'graphql'; const make = () => buildSchema(text(), { assumeValid: true, assumeValidSDL: true, noLocation: true });`,
  'lazy schema, text scanned': `import { createSchema } from './src/executor/schema/create-schema.ts'; const make = () => createSchema({ typeDefs: text() }, { checkWhole: false });`,
};

/** The code that every variant runs with its schema. */
const request = `
  import { readFileSync } from 'node:fs';
  import { execute, parse, validate } from 'graphql';
  const read = (name) => readFileSync(process.argv[3] + '/' + name, 'utf8');
  const text = () => read('schema.graphql');
  const schema = make();
  const document = parse(read('query.graphql'));
  const errors = validate(schema, document, RULES);
  if (errors.length > 0) throw errors[0];
  if (execute({ schema, document }).errors) throw new Error('The operation failed.');
`;

const measure =
  'const before = process.cpuUsage(); require(process.argv[2]); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);';

const folder = mkdtempSync(join(tmpdir(), 'cold-schema-'));
try {
  writeFileSync(join(folder, 'measure.cjs'), measure);
  const names = Object.keys(variants);
  for (const name of names) await bundleVariant(name);
  console.log(`${process.version}, ${runs} runs, CPU ms\n`);
  for (const types of sizes) report(types, names, measureSize(types, names));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bundleVariant(name: string): Promise<void> {
  const lazy = name.startsWith('lazy');
  const rules = lazy
    ? `import { specifiedRulesForLazySchema as RULES } from './src/executor/schema/lazy/lazy-schema.ts';`
    : `const RULES = undefined;`;
  await build({
    stdin: { contents: `${rules}\n${variants[name]}\n${request}`, resolveDir: root, loader: 'ts' },
    outfile: join(folder, `${name}.cjs`),
    bundle: true,
    minify: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
}

function measureSize(types: number, names: readonly string[]): Map<string, number[]> {
  const text = generateSchema({ types });
  writeFileSync(join(folder, 'schema.graphql'), text);
  writeFileSync(join(folder, 'query.graphql'), smallQuery(text));
  const figures = new Map(names.map((name) => [name, [] as number[]]));
  for (let run = 0; run < (types > 1000 ? Math.ceil(runs / 2) : runs); run += 1) {
    for (const name of names) figures.get(name)?.push(coldRun(name));
  }
  return figures;
}

/** Four nullable fields of the root type without resolvers. */
function smallQuery(text: string): string {
  const fields = Object.values(buildSchema(text).getQueryType()?.getFields() ?? {}).filter(({ type }) => isNullableType(type));
  const chosen = [0, 1, 2].map((third) => fields[Math.floor((third * fields.length) / 3)]);
  return `{ __typename ${chosen.map((field) => field && `${field.name}${isLeafType(getNamedType(field.type)) ? '' : ' { __typename }'}`).join(' ')} }`;
}

function coldRun(name: string): number {
  const output = execFileSync(process.execPath, [join(folder, 'measure.cjs'), join(folder, `${name}.cjs`), folder], {
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return Number(output);
}

function report(types: number, names: readonly string[], figures: ReadonlyMap<string, number[]>): void {
  console.log(`${types} types`);
  for (const name of names) {
    const sorted = (figures.get(name) ?? []).toSorted((a, b) => a - b);
    const [low, median, high] = [0.1, 0.5, 0.9].map((share) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN);
    console.log(`  ${name.padEnd(28)} ${median?.toFixed(1).padStart(8)}   (${low?.toFixed(1)} to ${high?.toFixed(1)})`);
  }
}
