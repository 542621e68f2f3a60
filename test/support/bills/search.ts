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

/** How long a search is, and where it begins. */
export interface SearchSettings {
  readonly seed: number;
  readonly requests: number;
  readonly size: ServerKind;
  /** Requests before those that are measured. */
  readonly warmUp: number;
}

/** How many of the dearest requests the next ones are made from. */
const kept = 24;

/** Sends requests: a half at random, the others like the dearest so far. Returns the dearest, those that break a promise first. */
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
    // Of one shape only the few dearest: or one attack would be all that is looked at.
    const others = dearest.filter(({ story }) => story === request.story);
    if (others.length >= 3) dearest = dearest.filter((one) => one !== others.at(-1) || priceOf(one) >= priceOf(finding));
    dearest = [...dearest, ...(others.length < 3 || !dearest.includes(others.at(-1)!) ? [finding] : [])]
      .toSorted((one, other) => priceOf(other) - priceOf(one))
      .slice(0, kept);
  }
  return dearest.toSorted((one, other) => other.broken.length - one.broken.length);
}

/** The share of the promise that is nearest to being broken. */
function priceOf({ bill, broken }: Finding): number {
  return (
    broken.length + Math.max(...(['cpu', 'heap', 'errors', 'logged', 'stored'] as const).map((figure) => bill[figure] / promised[figure]))
  );
}

/** Like a request, but for a few genes, most of them only a little different. */
function varied(random: Random, genes: Genes): Genes {
  return genes.map((gene) => {
    if (random.chance(0.7)) return gene;
    return random.chance(0.3) ? random.next() : Math.min(0.999, Math.max(0, gene + (random.next() - 0.5) / 4));
  });
}

/** So that what is measured is not the compiler. */
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
