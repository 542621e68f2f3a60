import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { searchBills } from '../support/bills/search.ts';
import { serverKinds } from '../support/bills/servers.ts';
import { cases } from '../support/long-form.ts';

/** The short form of scripts/search-bills.ts. Only the script measures CPU and heap, which other tests use at the same time here. */
describe('a search for small requests with large costs', () => {
  for (const size of serverKinds) {
    it(`finds none in errors, log, store, response size or status of the ${size} server`, async () => {
      const findings = await searchBills({ seed: 11, requests: cases({ short: 7, long: 30 }), size, warmUp: 0 });

      const broken = findings.flatMap(({ story, broken: promises }) =>
        promises.filter((one) => !one.endsWith('of CPU') && !one.endsWith('of heap')).map((one) => `${story}: ${one}`),
      );
      assert.deepEqual(broken, []);
    });
  }
});
