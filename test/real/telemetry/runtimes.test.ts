import { describe, test } from 'node:test';

import { bundle, createFolder } from '../../support/real/bundle.ts';
import { fetchRuntimes } from '../../support/real/fetch-runtimes.ts';
import { needs } from '../../support/real/parts.ts';
import { startCollector } from './collector.ts';
import { assertTelling } from './telling.ts';

for (const runtime of fetchRuntimes) {
  describe(runtime.name, needs(runtime.part), () => {
    test('spans and cost lines are sent in waitUntil, and are linked', async (t) => {
      const collector = await startCollector(t);
      const folder = await createFolder();
      t.after(() => folder.remove());
      await bundle('test/support/real/functions/telemetry-worker.ts', `${folder.path}/worker.mjs`, 'worker');
      const served = await runtime.serve(folder.path);
      t.after(() => served.program.end());

      await assertTelling(served.url, collector);
    });
  });
}
