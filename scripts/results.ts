/** The part of bench/results.json, written by `node bench/run.ts`, that pages show. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Ratio {
  /** The ratio to bare graphql-js 17, or to the baseline of the table. The median of the runs. */
  readonly ratio: number;
  /** The lowest and the highest of the runs. */
  readonly ratios?: readonly number[];
  /** The ratio to bare graphql-js 16. */
  readonly ratio16?: number;
  readonly ratio16s?: readonly number[];
}

export interface Spread {
  readonly workloads: number;
  readonly median: number;
  readonly medians?: readonly number[];
  readonly worstTenth: number;
  readonly worst: number;
}

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
    /** The size of the schema's text. */
    readonly sdlKB: number;
    readonly contestants: Readonly<Record<string, Ratio & { cpuMilliseconds: number; rssMiB: number }>>;
  }[];
  readonly codeCache: readonly {
    readonly types: number;
    readonly cpuMilliseconds: Readonly<Record<string, number>>;
  }[];
  readonly unbundled: { readonly bundledMilliseconds: number; readonly unbundledMilliseconds: number; readonly files: number };
  readonly sizes: Readonly<Record<string, { readonly gzipKB: number }>>;
  readonly dataSources: Readonly<Record<string, Readonly<Record<string, Ratio & { microseconds: number }>>>>;
  readonly generated: {
    readonly seed: number;
    readonly spreads: Readonly<
      Record<
        string,
        { readonly warm: Spread; readonly warm16?: Spread; readonly none?: Spread; readonly unseen: Spread; readonly unseen16?: Spread }
      >
    >;
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

export async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(join(import.meta.dirname, '../bench/results.json'), 'utf8')) as Results;
}
