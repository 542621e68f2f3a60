// The memory of a warm process after each fifth of many invocations, with and without new documents.
// Run: node --expose-gc bench/memory.ts [invocations]
import { createHandler } from '../src/entries/aws-lambda.ts';
import { createEvent } from './event.ts';
import { rounded } from './statistics.ts';
import { warmWorkloads } from './workloads.ts';

export interface MemoryResult {
  readonly invocations: number;
  /** Resident memory after warm-up and after each fifth. Most of it is garbage. */
  readonly rssMiB: readonly number[];
  /** Live objects at the same times. */
  readonly heapMiB: readonly number[];
}

export async function measureMemory(invocations: number): Promise<MemoryResult> {
  const [hello, objects] = warmWorkloads;
  // A function of this size keeps 4 MiB of documents.
  process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] = '128';
  const handler = createHandler({ csrfPrevention: true, typeDefs: hello!.typeDefs, resolvers: hello!.resolvers });
  const serve = async (from: number, to: number): Promise<void> => {
    for (let nth = from; nth < to; nth++) {
      const { body } = nth % 50 === 0 ? objects! : hello!;
      // Every tenth document is new: the document cache must stay in its bound.
      await handler(createEvent(nth % 10 === 0 ? JSON.stringify({ query: `query N${nth} { hello }` }) : body(nth)), undefined);
    }
  };

  await serve(0, invocations / 5);
  const samples = [sample()];
  for (let fifth = 1; fifth <= 5; fifth++) {
    await serve((fifth * invocations) / 5, ((fifth + 1) * invocations) / 5);
    samples.push(sample());
  }
  return { invocations, rssMiB: samples.map(({ rss }) => toMiB(rss)), heapMiB: samples.map(({ heapUsed }) => toMiB(heapUsed)) };
}

function sample(): NodeJS.MemoryUsage {
  globalThis.gc?.();
  return process.memoryUsage();
}

function toMiB(bytes: number): number {
  return rounded(bytes / 1024 / 1024);
}

if (import.meta.main) console.log(JSON.stringify(await measureMemory(Number(process.argv[2] ?? 200_000))));
