/**
 * Writes the tables of measured figures into README.md and pages of docs/, from bench/results.json: `npm run docs`.
 * test/slow/docs/performance.test.ts fails when they differ, so every figure on a page was measured.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cellsOf } from './options-table.ts';

const root = join(import.meta.dirname, '..');
/** The pages with tables of results. */
export const pages: readonly string[] = ['README.md', 'docs/performance.md'];

/** The ratio of each figure is to bare graphql-js 17, or to the first contestant of its table. */
interface Ratio {
  readonly ratio: number;
}

/** What `node bench/run.ts` writes. */
interface Results {
  readonly date: string;
  readonly command: string;
  /** How often the ratios were measured. */
  readonly runs: number;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string; readonly platform: string };
  readonly warm: readonly { readonly workload: string; readonly contestants: Readonly<Record<string, Ratio>> }[];
  readonly cold: readonly {
    readonly types: number;
    /** The size of the schema's text. */
    readonly sdlKB: number;
    readonly contestants: Readonly<Record<string, Ratio & { cpuMilliseconds: number }>>;
  }[];
  /** One process that serves all kinds of requests in turn. */
  readonly mixed: readonly (Ratio & {
    readonly shape: string;
    readonly microseconds: number;
    readonly minimum: number;
    readonly quartiles: readonly [number, number];
  })[];
  /** The first requests of a process, with its start. */
  readonly first: readonly {
    readonly requests: number;
    readonly contestants: Readonly<Record<string, Ratio & { cpuMilliseconds: number }>>;
  }[];
  readonly sizes: Readonly<Record<string, { readonly gzipKB: number }>>;
  readonly dataSources: Readonly<Record<string, Readonly<Record<string, Ratio & { microseconds: number }>>>>;
  /** A request that reads Postgres, in milliseconds: whole, its CPU, and both beyond the same statements without GraphQL. */
  readonly database: Readonly<Record<string, Readonly<Record<'milliseconds' | 'cpu' | 'added' | 'addedCPU', number>>>>;
}

export async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(join(root, 'bench/results.json'), 'utf8')) as Results;
}

/** All tables, by the name in a page's marker. */
export const tables: Readonly<Record<string, (results: Results) => string>> = {
  machine: ({ date, command, runs, machine }) =>
    toTable(
      ['Date', 'Command', 'Runs', 'Machine', 'Node'],
      [[date, `\`${command}\``, String(runs), `${machine.cpu}, ${machine.cores} shared cores, ${machine.platform}`, machine.node]],
    ),
  faster: (results) => toTable(['Times faster than', ...peers], fasterRows(results)),
  cold: ({ cold }) =>
    toTable(
      ['CPU, ms', ...cold.map(schemaSize)],
      namesOf(cold.map(({ contestants }) => contestants)).map((name) => [
        name,
        ...cold.map(({ contestants }) => coldCell(contestants[name])),
      ]),
    ),
  warm: ({ warm }) => {
    const names = namesOf(warm.map(({ contestants }) => contestants)).filter((name) => name !== reference);
    return toTable(
      [toReference, ...names],
      warm.map(({ workload, contestants }) => [workload, ...names.map((name) => faster(contestants[name]?.ratio))]),
    );
  },
  first: ({ first }) =>
    toTable(
      ['CPU, ms', ours, reference, toReference],
      first.map(({ requests, contestants }) => [
        `first ${inWords(requests)} requests`,
        String(contestants[ours]!.cpuMilliseconds),
        String(contestants[reference]!.cpuMilliseconds),
        faster(contestants[ours]!.ratio),
      ]),
    ),
  mixed: ({ mixed }) =>
    toTable(
      ['CPU per request, µs', 'median', 'minimum', 'quartiles', toReference],
      mixed.map(({ shape, microseconds, minimum, quartiles, ratio }) => [
        shape,
        String(microseconds),
        String(minimum),
        quartiles.join(' – '),
        faster(ratio),
      ]),
    ),
  sizes: ({ sizes }) =>
    toTable(
      ['Bundle of one field', 'KB, gzip'],
      Object.entries(sizes).map(([name, { gzipKB }]) => [name, String(gzipKB)]),
    ),
  'data-sources': ({ dataSources }) => {
    const names = namesOf(Object.values(dataSources));
    return toTable(
      ['µs (times faster than Apollo)', ...names],
      Object.entries(dataSources).map(([what, contestants]) => [what, ...names.map((name) => dataSourceCell(contestants[name]))]),
    );
  },
  database: ({ database }) =>
    toTable(
      ['Milliseconds', 'request', 'of it the server', 'CPU', 'of it the server'],
      Object.entries(database)
        .filter(([name]) => !name.endsWith('16'))
        .map(([name, { milliseconds, added, cpu, addedCPU }]) => [name, ...[milliseconds, added, cpu, addedCPU].map(String)]),
    ),
};

const ours = 'graphql-functions';
const reference = 'bare graphql-js 17';
const reference16 = 'bare graphql-js 16';
const toReference = 'Times faster than bare graphql-js 17';
/** The columns of the README's table. */
const peers = ['Apollo Server 5', 'GraphQL Yoga 5', 'Mercurius with JIT', reference, reference16];
const summarisedWork = [
  'hello',
  'hello, as a web Request',
  '50 objects, 100 async resolvers, variables',
  'documents never seen before',
  '1,000 rows of 8 fields',
];

/** The time of each peer as a multiple of ours. */
function fasterRows({ cold, warm }: Results): string[][] {
  const rows: [string, Readonly<Record<string, Ratio>>][] = [
    ...cold.map(({ contestants, types, sdlKB }): [string, Readonly<Record<string, Ratio>>] => [
      `cold start, ${schemaSize({ types, sdlKB })}`,
      contestants,
    ]),
    ...warm
      .filter(({ workload }) => summarisedWork.includes(workload))
      .map(({ workload, contestants }): [string, Readonly<Record<string, Ratio>>] => [workload, contestants]),
  ];
  return rows.map(([work, contestants]) => [work, ...peers.map((peer) => multiple(contestants[peer]?.ratio, contestants[ours]!.ratio))]);
}

/** How many times less CPU time than the reference a ratio to it means. */
function faster(ratio: number | undefined): string {
  return multiple(ratio === undefined ? undefined : 1, ratio);
}

function multiple(peer: number | undefined, mine: number | undefined): string {
  if (peer === undefined || mine === undefined) return '–';
  const factor = peer / mine;
  return factor >= 10 ? String(Math.round(factor)) : factor >= 0.1 ? factor.toFixed(1) : factor.toPrecision(1);
}

function schemaSize({ types, sdlKB }: Pick<Results['cold'][number], 'types' | 'sdlKB'>): string {
  return `${inWords(types)} types (${inWords(sdlKB)} KB)`;
}

function namesOf(columns: readonly Readonly<Record<string, unknown>>[]): string[] {
  return [...new Set(columns.flatMap((column) => Object.keys(column)))];
}

function coldCell(one: Results['cold'][number]['contestants'][string] | undefined): string {
  // Below 0, it is less than the noise of what is subtracted.
  return one === undefined ? '–' : String(Math.max(0, one.cpuMilliseconds));
}

function dataSourceCell(one: (Ratio & { microseconds: number }) | undefined): string {
  return one === undefined ? '–' : `${one.microseconds} (${faster(one.ratio)})`;
}

function inWords(count: number): string {
  return count.toLocaleString('en-US');
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const block = /<!-- results: ([\w-]+) -->([^]*?)<!-- \/results -->/g;

/** The cells of a page's tables by name, without the spaces that the formatter adds. */
export function resultsIn(page: string): [name: string, cells: string[][]][] {
  return Array.from(page.matchAll(block), ([, name = '', table = '']) => [name, cellsOf(table.trim())]);
}

if (import.meta.main) {
  const results = await readResults();
  for (const path of pages) {
    const page = await readFile(join(root, path), 'utf8');
    const written = page.replaceAll(block, (_, name: string) => {
      const table = tables[name];
      if (table === undefined) throw new Error(`${path} asks for a table named "${name}"; there are ${Object.keys(tables).join(', ')}.`);
      return `<!-- results: ${name} -->\n\n${table(results)}\n\n<!-- /results -->`;
    });
    await writeFile(join(root, path), written);
  }
}
