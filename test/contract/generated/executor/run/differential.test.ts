import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { versionInfo } from 'graphql';

import { compareExecutors } from '../../../../support/differential/compare-executors.ts';
import { cases } from '../../../../support/long-form.ts';

/*
 * Permitted differences from graphql-js, and their reasons:
 *
 * - The prototype of an object in `data` is an empty object instead of null, which makes it fast (planned-field.ts).
 *   JSON, its keys and `in` are the same; only Object.getPrototypeOf shows the difference.
 * - A rejection that graphql-js leaves unhandled is handled (unhandled-rejections.ts).
 * - Below a position that an error has made null, no more resolvers are called.
 * - Which errors are reported below a null, and the order of errors of asynchronous resolvers (compare-results.ts).
 *
 * `npm run test:slow` runs more.
 */
const traced = cases({ short: 4, long: 30 });
const schemas = cases({ short: 8, long: 60 });
const behaviors = cases({ short: 5, long: 350 });
const batched = cases({ short: 15, long: 150 });

for (const timing of ['sync', 'apart', 'together'] as const) {
  test(`traced random operations, resolvers ${timing}: the channels publish the events of graphql-js 17 in its order`, async (t) => {
    if (versionInfo.major < 17) return t.skip('graphql 16 has no channels');

    const { operations, differences, unhandled } = await compareExecutors(1, traced, { timing, traced: true });

    deepEqual(differences.slice(0, 1), []);
    equal(unhandled.ours, 0);
    return ok(operations > traced * 4, `${operations}`);
  });
}

for (const timing of ['sync', 'apart', 'together'] as const) {
  test(`random operations, resolvers ${timing}: data and errors are graphql-js's, and no rejection goes unhandled`, async () => {
    const { operations, withErrors, withData, differences, unhandled } = await compareExecutors(1, schemas, { timing });

    deepEqual(differences.slice(0, 1), []);
    equal(unhandled.ours, 0);
    ok(operations > schemas * 4 && withErrors > operations / 4 && withData > operations / 4, `${operations}, ${withErrors}, ${withData}`);
  });
}

for (const onError of ['NULL', 'HALT'] as const) {
  for (const timing of ['sync', 'apart', 'together'] as const) {
    test(`random operations with onError ${onError}, resolvers ${timing}: the answer follows from the errors that graphql-js has without propagation`, async () => {
      const { operations, withErrors, differences, unhandled } = await compareExecutors(2_000, behaviors, { timing, onError });

      deepEqual(differences.slice(0, 1), []);
      equal(unhandled.ours, 0);
      ok(operations > behaviors * 4 && withErrors > operations / 4, `${operations}, ${withErrors}`);
    });
  }
}

for (const timing of ['sync', 'apart', 'together'] as const) {
  for (const onError of ['PROPAGATE', 'NULL', 'HALT'] as const) {
    test(`random operations with batched fields, resolvers ${timing}, onError ${onError}: the answer equals that of resolvers that are called one by one`, async () => {
      const { operations, withErrors, batches, differences, unhandled } = await compareExecutors(3_000, batched, {
        timing,
        onError,
        batched: true,
      });

      deepEqual(differences.slice(0, 1), []);
      equal(unhandled.ours, 0);
      ok(
        operations > batched / 2 && withErrors > operations / 4 && (onError === 'HALT' || timing === 'apart' || batches > 0),
        `${operations}, ${withErrors}, ${batches}`,
      );
    });
  }
}
