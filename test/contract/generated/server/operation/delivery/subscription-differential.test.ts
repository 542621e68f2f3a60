import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { compareSubscriptions } from '../../../../../support/differential/compare-subscriptions.ts';
import { cases } from '../../../../../support/long-form.ts';

const schemas = cases({ short: 15, long: 500 });

test("random subscriptions: events, errors, failing sources and leaving clients are those of graphql-js's subscribe", async () => {
  const { subscriptions, events, refused, failed, left, withErrors, differences, closedTwice, unhandled } = await compareSubscriptions(
    1,
    schemas,
  );

  deepEqual(differences.slice(0, 1), []);
  deepEqual([closedTwice, unhandled], [0, 0]);
  ok(
    Math.min(refused, failed, left, withErrors) > subscriptions / 50 && events > subscriptions,
    `${subscriptions}, ${events}, ${refused}, ${failed}, ${left}`,
  );
});
