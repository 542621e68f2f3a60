import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { makeExecutableSchema } from '@graphql-tools/schema';
import { GraphQLSchema, parse, versionInfo } from 'graphql';

import { incrementalDelivery } from '../../../../../../src/entries/incremental.ts';
import { delivered, runInParts, runWithGraphQLJS } from '../../../../../support/differential/compare-parts.ts';
import { randomParts, resolvers, synchronousResolvers, typeDefs } from '../../../../../support/differential/random-parts.ts';
import { cases } from '../../../../../support/long-form.ts';
import { allPayloads, merge, runIncrementally } from '../../../../../support/run-incrementally.ts';
import type { IncrementalRun } from '../../../../../support/run-incrementally.ts';
import { createRandom } from '../../../../../support/random.ts';

const skip = versionInfo.major < 17 && 'graphql 16 has no incremental executor';
const seeds = cases({ short: 40, long: 120 });
const options = { typeDefs, resolvers: resolvers as never };

for (const settings of [{ format: 'current' }, { format: 'legacy' }] as const satisfies IncrementalRun[]) {
  test(`parts, ${settings.format}: merged, they equal the answer in one piece`, async () => {
    let divided = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const query = randomParts(createRandom(seed));

      const whole = await runIncrementally(options, query, { format: 'whole' });
      const parts = await allPayloads(await runIncrementally(options, query, settings));

      const together = merge(parts);
      deepEqual(plain(together.data), plain(whole.result.data), `seed ${seed}: ${query}`);
      deepEqual(placesOf(together.errors), placesOf(whole.result.errors ?? []), `seed ${seed}: ${query}`);
      if (parts.length > 1) divided += 1;
    }

    ok(divided > seeds / 2, `${divided} of ${seeds} had parts`);
  });
}

function schemaWith(functions: object): GraphQLSchema {
  const config = makeExecutableSchema({ typeDefs, resolvers: functions as never }).toConfig();
  const known = new Set(['defer', 'stream']);
  const directives = [...config.directives.filter(({ name }) => !known.has(name)), ...incrementalDelivery().directives];
  return new GraphQLSchema({ ...config, directives });
}

for (const [what, schema, isExact] of [
  ['', schemaWith(resolvers), false],
  [', with every announcement where nothing is asynchronous', schemaWith(synchronousResolvers), true],
] as const) {
  for (const format of ['current', 'legacy'] as const) {
    test(`parts, ${format}: what is delivered and completed is what graphql-js delivers${what}`, { skip }, async () => {
      for (let seed = 1; seed <= seeds; seed++) {
        const request = { schema, document: parse(randomParts(createRandom(seed))), format };

        const ours = delivered(await runInParts(request), { isExact });

        deepEqual(ours, delivered(await runWithGraphQLJS(request), { isExact }), `seed ${seed}`);
      }
    });
  }
}

/** The paths of errors. graphql-js reports an error of a field in two deferred fragments once or twice. */
function placesOf(errors: readonly unknown[]): string[] {
  return [...new Set(errors.map((error) => JSON.stringify((error as { path: unknown }).path)))].toSorted();
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
