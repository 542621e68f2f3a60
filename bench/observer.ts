// What a listener on every resolver costs: the same operations with and without one, in turn, in one process. Measures CPU time from
// the event to the result. Run: npm run build, then node bench/observer.ts. The goal is at most 3, and 2.5 if possible.
import { compareShapes } from './compare-shapes.ts';
import { median, rounded } from './statistics.ts';
import { createHandler } from '../dist/esm/aws-lambda.js';

const [{ typeDefs, resolvers }] = compareShapes as [(typeof compareShapes)[number]];
const rounds = Number(process.env['ROUNDS'] ?? 40);
/** Milliseconds for which each runs in a round. */
const slice = Number(process.env['SLICE'] ?? 25);

let calls = 0;
const observer = { field: (_call: unknown, resolve: () => unknown) => (calls++, resolve()) };
const create = createHandler as (options: object) => (event: unknown, context: object) => Promise<unknown>;
const handlers = {
  without: create({ typeDefs, resolvers }),
  with: create({ typeDefs, resolvers, plugins: [{ executionWillStart: () => ({ observer }) }] }),
};

for (const shape of compareShapes.filter(({ entry }) => entry === 'lambda')) {
  const times = { without: [] as number[], with: [] as number[] };
  for (let round = -5; round < rounds; round++) {
    for (const name of ['without', 'with'] as const) {
      const start = process.cpuUsage();
      const end = performance.now() + slice;
      let count = 0;
      while (performance.now() < end) await handlers[name](shape.event(count++), {});
      const { user, system } = process.cpuUsage(start);
      if (round >= 0) times[name].push((user + system) / count);
    }
  }
  calls = 0;
  await handlers.with(shape.event(0), {});
  const [without, observed] = [median(times.without), median(times.with)];
  console.log(`${shape.name.padEnd(12)} ${rounded(without)} → ${rounded(observed)} µs, ${calls} calls: ${(observed / without).toFixed(2)}`);
}
