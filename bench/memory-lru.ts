/**
 * The memory of an InMemoryLRUCache compared with its limit, with 1,000,000 small entries:
 *
 *     node --expose-gc bench/memory-lru.ts
 *
 * Fails if the heap has grown by more than the limit.
 */
import { InMemoryLRUCache } from '../src/datasources/cache/in-memory.ts';

const bound = 30 * 1024 * 1024;
const entries = 1_000_000;

const { gc } = globalThis;
if (gc === undefined) throw new Error('Run with --expose-gc');

async function measure(name: string, keyOf: (index: number) => string, valueOf: (index: number) => string): Promise<void> {
  gc!();
  const before = process.memoryUsage().heapUsed;
  const cache = new InMemoryLRUCache({ maxSize: bound });
  // Buffer.from makes flat strings: concatenated strings would share their parts.
  for (let index = 0; index < entries; index++) {
    await cache.set(Buffer.from(keyOf(index)).toString(), Buffer.from(valueOf(index)).toString(), { ttl: 60.5 });
  }
  gc!();
  const grown = process.memoryUsage().heapUsed - before;
  let kept = 0;
  for (let index = 0; index < entries; index++) if ((await cache.get(keyOf(index))) !== undefined) kept++;

  const perEntry = (grown / kept).toFixed(0);
  console.log(`${name}: ${kept} of ${entries} kept, ${(grown / 2 ** 20).toFixed(1)} MiB of ${bound / 2 ** 20}, ${perEntry} B per entry`);
  if (grown > bound) process.exitCode = 1;
}

await measure(
  '80-character keys, 1-byte values',
  (index) => String(index).padStart(80, 'k'),
  () => 'x',
);
await measure(
  '8-character keys, 1-byte values',
  (index) => String(index).padStart(8, 'k'),
  (index) => String(index % 10),
);
await measure(
  '12-character keys, 4 two-byte characters',
  (index) => String(index).padStart(12, 'k'),
  () => 'ΩΩΩΩ',
);
await measure(
  '80-character keys, 1 KiB values',
  (index) => String(index).padStart(80, 'k'),
  (index) => String(index).padStart(1024, 'v'),
);
