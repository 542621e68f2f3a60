/**
 * Writes the tables of measured figures into README.md and pages of docs/, from bench/results.json: `npm run docs`.
 * test/docs/performance.test.ts fails when they differ, so every figure on a page was measured.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cellsOf } from './options-table.ts';
import { readResults } from './results.ts';
import type { Ratio, Results, Spread } from './results.ts';

const root = join(import.meta.dirname, '..');
/** The pages with tables of results. */
export const pages: readonly string[] = ['README.md', 'docs/performance.md', 'docs/benchmarks.md', 'docs/build.md'];

/** All tables, by the name in a page's marker. */
export const tables: Readonly<Record<string, (results: Results) => string>> = {
  machine: ({ date, command, runs = 1, machine }) =>
    toTable(
      ['Date', 'Command', 'Runs', 'Machine', 'Node'],
      [[date, `\`${command}\``, String(runs), `${machine.cpu}, ${machine.cores} shared cores, ${machine.platform}`, machine.node]],
    ),
  versions: ({ versions }) =>
    toTable(
      ['Package', 'Version'],
      Object.entries(versions).map(([name, version]) => [`\`${name}\``, version.replace(/^npm:.*@/, '')]),
    ),
  runs: (results) => toTable([toReference, 'median of the runs', 'lowest', 'highest'], rangeRows(results)),
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
  sizes: ({ sizes }) =>
    toTable(
      ['Bundle of one field', 'KB, gzip'],
      Object.entries(sizes).map(([name, { gzipKB }]) => [name, String(gzipKB)]),
    ),
  'code-cache': ({ codeCache }) => {
    const names = namesOf(codeCache.map(({ cpuMilliseconds }) => cpuMilliseconds));
    return toTable(
      ['CPU, ms', ...names],
      codeCache.map(({ types, cpuMilliseconds }) => [
        `${inWords(types)} types`,
        ...names.map((name) => String(cpuMilliseconds[name] ?? '–')),
      ]),
    );
  },
  unbundled: ({ unbundled }) =>
    toTable(
      ['A function for Netlify, one field', 'CPU to the first answer, ms'],
      [
        ['one file', String(unbundled.bundledMilliseconds)],
        [`${unbundled.files} files`, String(unbundled.unbundledMilliseconds)],
      ],
    ),
  'data-sources': ({ dataSources }) => {
    const names = namesOf(Object.values(dataSources));
    return toTable(
      ['µs (times faster than Apollo)', ...names],
      Object.entries(dataSources).map(([what, contestants]) => [what, ...names.map((name) => dataSourceCell(contestants[name]))]),
    );
  },
  generated: ({ generated: { spreads } }) =>
    toTable(
      [toReference, 'Workloads', 'known document: median', 'slowest tenth', 'slowest', 'new document: median', 'slowest tenth', 'slowest'],
      [
        ...['all', 'HTTP API event', 'REST API event', 'Request', 'node:http'].map((name) => {
          const { warm, unseen } = spreads[name]!;
          return [name, String(warm.workloads), ...spreadCells(warm), ...spreadCells(unseen)];
        }),
        [
          'all, to graphql-js 16',
          String(spreads['all']!.warm.workloads),
          ...spreadCells(spreads['all']!.warm16),
          ...spreadCells(spreads['all']!.unseen16),
        ],
      ],
    ),
  requests: ({ requests }) => {
    const names = Object.keys(requests);
    const workloads = namesOf(Object.values(requests));
    return toTable(
      ['µs (times faster than bare graphql-js 17)', ...names],
      workloads.map((workload) => [workload, ...names.map((name) => requestCell(requests[name]?.[workload]))]),
    );
  },
  'small-memory': ({ smallMemory: { operations, functions } }) =>
    toTable(
      [
        `MiB, of ${inWords(operations)} operations`,
        'after 100',
        'at most',
        "at the end, without Node's own file",
        'heap alive at the end',
        'CPU, µs',
      ],
      functions.map(({ megabytes, firstMiB, peakMiB, ownMiB, heapMiB, microseconds }) => [
        `a function of ${megabytes} MB`,
        ...[firstMiB, peakMiB, ownMiB, heapMiB, microseconds].map(String),
      ]),
    ),
  memory: ({ memory }) =>
    toTable(
      [
        `MiB, of ${inWords(memory.invocations)} invocations`,
        ...memory.rssMiB.map((_, at) => (at === 0 ? 'after warm-up' : `${at}/${memory.rssMiB.length - 1}`)),
      ],
      [
        ['resident', ...memory.rssMiB.map(String)],
        ['heap in use', ...memory.heapMiB.map(String)],
      ],
    ),
};

const ours = 'graphql-functions';
const reference = 'bare graphql-js 17';
const reference16 = 'bare graphql-js 16';
const toReference = 'Times faster than bare graphql-js 17';
/** The columns of the README's table. */
const peers = ['Apollo Server 5', 'GraphQL Yoga 5', 'Mercurius with JIT', reference, reference16];
const summarisedWork = ['hello', '50 objects, 100 async resolvers, variables', 'documents never seen before', '1,000 rows of 8 fields'];

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

/** The spread of the runs, for the most important figures. */
function rangeRows({ cold, warm, generated, requests }: Results): string[][] {
  const { warm: known, unseen } = generated.spreads['all']!;
  const rows: [string, Pick<Ratio, 'ratio' | 'ratios'> | undefined][] = [
    ...cold.map(({ contestants, ...one }): [string, Ratio | undefined] => [`cold, ${schemaSize(one)}`, contestants[ours]]),
    ...warm.map(({ workload, contestants }): [string, Ratio | undefined] => [`warm: ${workload}`, contestants[ours]]),
    ['generated, known document: median', toRatio(known)],
    ['generated, new document: median', toRatio(unseen)],
    ...Object.entries(requests).map(([runtime, { hello }]): [string, Ratio | undefined] => [`Request on ${runtime}: hello`, hello]),
  ];
  // A low ratio is a high speed.
  return rows.map(([what, one]) => [what, ...[one?.ratio, one?.ratios?.[1], one?.ratios?.[0]].map(faster)]);
}

function toRatio({ median, medians }: Spread): Pick<Ratio, 'ratio' | 'ratios'> {
  return { ratio: median, ...(medians && { ratios: medians }) };
}

function schemaSize({ types, sdlKB }: Pick<Results['cold'][number], 'types' | 'sdlKB'>): string {
  return `${inWords(types)} types (${inWords(sdlKB)} KB)`;
}

function namesOf(columns: readonly Readonly<Record<string, unknown>>[]): string[] {
  return [...new Set(columns.flatMap((column) => Object.keys(column)))];
}

function coldCell(one: Results['cold'][number]['contestants'][string] | undefined): string {
  return one === undefined ? '–' : String(one.cpuMilliseconds);
}

function requestCell(one: Results['requests'][string][string] | undefined): string {
  return one === undefined ? '–' : `${one.microseconds} (${faster(one.ratio)})`;
}

function spreadCells(spread: Spread | undefined): string[] {
  return (['median', 'worstTenth', 'worst'] as const).map((part) => faster(spread?.[part]));
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
