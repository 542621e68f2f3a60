/**
 * Writes the tables of measured figures into README.md and docs/performance.md, from bench/results.json: `npm run docs`.
 * test/docs/performance.test.ts fails when they differ, so that no figure is on a page that nobody measured.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cellsOf } from './options-table.ts';

interface Ratio {
  /** The median of the runs. */
  readonly ratio: number;
  /** The lowest and the highest of the runs. */
  readonly ratios?: readonly number[];
}

interface Spread {
  readonly workloads: number;
  readonly median: number;
  readonly medians?: readonly number[];
  readonly worstTenth: number;
  readonly worst: number;
}

/** What `node bench/run.ts` writes, as far as pages show it. */
export interface Results {
  readonly date: string;
  readonly command: string;
  /** How often the ratios were measured. Absent: once. */
  readonly runs?: number;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string; readonly platform: string };
  readonly versions: Readonly<Record<string, string>>;
  readonly warm: readonly { readonly workload: string; readonly contestants: Readonly<Record<string, Ratio & { microseconds: number }>> }[];
  readonly cold: readonly {
    readonly types: number;
    readonly contestants: Readonly<Record<string, Ratio & { cpuMilliseconds: number; rssMiB: number }>>;
  }[];
  readonly codeCache: readonly {
    readonly types: number;
    readonly isBuilt: boolean;
    readonly cpuMilliseconds: Readonly<Record<string, number>>;
  }[];
  readonly unbundled: { readonly bundledMilliseconds: number; readonly unbundledMilliseconds: number; readonly files: number };
  readonly sizes: Readonly<Record<string, { readonly gzipKB: number }>>;
  readonly dataSources: Readonly<Record<string, Readonly<Record<string, Ratio & { microseconds: number }>>>>;
  readonly generated: {
    readonly seed: number;
    readonly spreads: Readonly<Record<string, { readonly warm: Spread; readonly none?: Spread; readonly unseen: Spread }>>;
  };
  readonly requests: Readonly<Record<string, Readonly<Record<string, Ratio & { microseconds: number; none?: number }>>>>;
  readonly smallMemory: {
    readonly operations: number;
    readonly functions: readonly {
      readonly megabytes: number;
      readonly firstMiB: number;
      readonly peakMiB: number;
      readonly ownMiB: number;
      readonly heapMiB: number;
      readonly microseconds: number;
    }[];
  };
  readonly memory: { readonly invocations: number; readonly rssMiB: readonly number[]; readonly heapMiB: readonly number[] };
}

const root = join(import.meta.dirname, '..');
/** The pages that have such tables. */
export const pages: readonly string[] = ['README.md', 'docs/performance.md', 'docs/build.md'];

export async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(join(root, 'bench/results.json'), 'utf8')) as Results;
}

/** Every table there is, by the name that stands in a page's marker. */
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
  runs: (results) => toTable([`Ratio to ${reference}`, 'median of the runs', 'lowest', 'highest'], rangeRows(results)),
  summary: (results) => toTable(['', ...summarised], summaryRows(results)),
  cold: ({ cold }) =>
    toTable(
      ['CPU, ms (ratio)', ...cold.map(({ types }) => `${inWords(types)} types`)],
      namesOf(cold.map(({ contestants }) => contestants)).map((name) => [
        name,
        ...cold.map(({ contestants }) => coldCell(contestants[name])),
      ]),
    ),
  warm: ({ warm }) => {
    const names = namesOf(warm.map(({ contestants }) => contestants));
    return toTable(
      ['Ratio', ...names],
      warm.map(({ workload, contestants }) => [workload, ...names.map((name) => times(contestants[name]))]),
    );
  },
  sizes: ({ sizes }) =>
    toTable(
      ['Bundle of one field', 'KB, gzip'],
      Object.entries(sizes).map(([name, { gzipKB }]) => [name, String(gzipKB)]),
    ),
  build: ({ cold }) => {
    const names = [reference, ours, built];
    return toTable(
      ['Types of the schema', ...names],
      cold.map(({ types, contestants }) => [inWords(types), ...names.map((name) => coldCell(contestants[name]))]),
    );
  },
  'code-cache': ({ codeCache }) => {
    const names = namesOf(codeCache.map(({ cpuMilliseconds }) => cpuMilliseconds));
    return toTable(
      ['CPU, ms', ...names],
      codeCache.map(({ types, isBuilt, cpuMilliseconds }) => [
        `${inWords(types)} types${isBuilt ? ', with a build' : ''}`,
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
      ['µs (ratio)', ...names],
      Object.entries(dataSources).map(([what, contestants]) => [what, ...names.map((name) => dataSourceCell(contestants[name]))]),
    );
  },
  generated: ({ generated }) =>
    toTable(
      [
        'Ratio to bare graphql-js 17',
        'Workloads',
        'known document: median',
        'worst tenth',
        'worst',
        'no GraphQL: median',
        'new document: median',
        'worst tenth',
        'worst',
      ],
      Object.entries(generated.spreads).map(([name, { warm, none, unseen }]) => [
        name,
        String(warm.workloads),
        ...spreadCells(warm),
        times(none && toRatio(none)),
        ...spreadCells(unseen),
      ]),
    ),
  requests: ({ requests }) => {
    const names = Object.keys(requests);
    const workloads = namesOf(Object.values(requests));
    return toTable(
      ['µs (ratio to bare graphql-js 17; that of no GraphQL)', ...names],
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
const built = 'graphql-functions, with build';
const reference = 'bare graphql-js 17';
/** The columns of the table on the first page. */
const summarised = [ours, reference, 'Apollo Server 5', 'GraphQL Yoga 5', 'Mercurius with JIT'];
const summarisedWork = ['hello', '50 objects, 100 async resolvers, variables', 'documents never seen before', '1,000 rows of 8 fields'];

function summaryRows({ cold, warm }: Results): string[][] {
  return [
    ...cold.map(({ types, contestants }) => [
      `first answer of a cold process, ${inWords(types)} types`,
      ...summarised.map((name) => times(contestants[name])),
    ]),
    ...warm
      .filter(({ workload }) => summarisedWork.includes(workload))
      .map(({ workload, contestants }) => [`warm: ${workload}`, ...summarised.map((name) => times(contestants[name]))]),
  ];
}

/** How far the runs are apart, for what is read first. */
function rangeRows({ cold, warm, generated, requests, dataSources }: Results): string[][] {
  const { warm: known, unseen } = generated.spreads['all']!;
  const rows: [string, Ratio | undefined][] = [
    ...cold.map(({ types, contestants }): [string, Ratio | undefined] => [`cold, ${inWords(types)} types`, contestants[ours]]),
    ...warm.map(({ workload, contestants }): [string, Ratio | undefined] => [`warm: ${workload}`, contestants[ours]]),
    ['generated, known document: median', toRatio(known)],
    ['generated, new document: median', toRatio(unseen)],
    ...Object.entries(requests).map(([runtime, { hello }]): [string, Ratio | undefined] => [`Request on ${runtime}: hello`, hello]),
    ['data source, miss (to @apollo/datasource-rest 6)', dataSources['miss']?.[ours]],
  ];
  return rows.map(([what, one]) => [what, times(one), ...[0, 1].map((at) => times(one?.ratios && { ratio: one.ratios[at]! }))]);
}

function toRatio({ median, medians }: Spread): Ratio {
  return medians === undefined ? { ratio: median } : { ratio: median, ratios: medians };
}

function namesOf(columns: readonly Readonly<Record<string, unknown>>[]): string[] {
  return [...new Set(columns.flatMap((column) => Object.keys(column)))];
}

function coldCell(one: Results['cold'][number]['contestants'][string] | undefined): string {
  return one === undefined ? '–' : `${one.cpuMilliseconds} (${times(one)})`;
}

function requestCell(one: Results['requests'][string][string] | undefined): string {
  return one === undefined
    ? '–'
    : `${one.microseconds} (${times(one)}; ${times(one.none === undefined ? undefined : { ratio: one.none })})`;
}

function spreadCells({ median, worstTenth, worst }: Spread): string[] {
  return [median, worstTenth, worst].map((ratio) => times({ ratio }));
}

function dataSourceCell(one: (Ratio & { microseconds: number }) | undefined): string {
  return one === undefined ? '–' : `${one.microseconds} (${times(one)})`;
}

function times(one: Ratio | undefined): string {
  return one === undefined ? '–' : `${one.ratio}×`;
}

function inWords(count: number): string {
  return count.toLocaleString('en-US');
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const block = /<!-- results: ([\w-]+) -->([^]*?)<!-- \/results -->/g;

/** The tables of a page by name, cell by cell; what is between cells is the formatter's business. */
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
