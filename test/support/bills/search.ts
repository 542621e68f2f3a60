import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { brokenPromises, measure, promised } from './measure.ts';
import type { Bill } from './measure.ts';
import { geneCount } from './documents.ts';
import type { Genes } from './documents.ts';
import { requestOf } from './requests.ts';
import { createBilledServer } from './servers.ts';
import type { BilledServer, ServerKind } from './servers.ts';

/** A request that a search has found. */
export interface Finding {
  readonly genes: Genes;
  readonly story: string;
  readonly bill: Bill;
  readonly broken: readonly string[];
}

/** The length of a search, and its seed. */
export interface SearchSettings {
  readonly seed: number;
  readonly requests: number;
  readonly size: ServerKind;
  /** Number of warm-up requests, which are not measured. */
  readonly warmUp: number;
}

/** The number of most expensive requests from which the next ones are derived. */
const kept = 24;

/** Sends requests: half are random, the others vary the most expensive ones so far. Returns the most expensive, beginning with those that exceed a limit. */
export async function searchBills({ seed, requests, size, warmUp: rounds }: SearchSettings): Promise<readonly Finding[]> {
  const random = createRandom(seed);
  const server = createBilledServer(size);
  await warmUp(server, rounds);
  let dearest: Finding[] = [];
  for (let sent = 0; sent < requests; sent++) {
    const genes =
      dearest.length > 0 && random.chance(0.5)
        ? varied(random, random.pick(dearest).genes)
        : Array.from({ length: geneCount }, random.next);
    const request = requestOf(genes, server);
    const bill = await measure(server, request);
    const finding = { genes, story: request.story, bill, broken: brokenPromises(bill, request.story) };
    // Keeps only a few requests of each shape; otherwise the search would follow a single attack.
    const others = dearest.filter(({ story }) => story === request.story);
    if (others.length >= 3) dearest = dearest.filter((one) => one !== others.at(-1) || priceOf(one) >= priceOf(finding));
    dearest = [...dearest, ...(others.length < 3 || !dearest.includes(others.at(-1)!) ? [finding] : [])]
      .toSorted((one, other) => priceOf(other) - priceOf(one))
      .slice(0, kept);
  }
  return dearest.toSorted((one, other) => other.broken.length - one.broken.length);
}

/** The largest cost, as a fraction of its limit. */
function priceOf({ bill, broken }: Finding): number {
  return (
    broken.length + Math.max(...(['cpu', 'heap', 'errors', 'logged', 'stored'] as const).map((figure) => bill[figure] / promised[figure]))
  );
}

/** A copy of a request with a few changed genes, most of them changed only a little. */
function varied(random: Random, genes: Genes): Genes {
  return genes.map((gene) => {
    if (random.chance(0.7)) return gene;
    return random.chance(0.3) ? random.next() : Math.min(0.999, Math.max(0, gene + (random.next() - 0.5) / 4));
  });
}

/** Warms up, so that the measurement does not include compilation. */
async function warmUp(server: BilledServer, rounds: number): Promise<void> {
  const random = createRandom(1);
  for (let round = 0; round < rounds; round++)
    await measure(
      server,
      requestOf(
        Array.from({ length: geneCount }, () => random.next() * 0.999),
        server,
      ),
    );
}
