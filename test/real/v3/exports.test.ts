import { deepEqual, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import { destinationOf, replacedPackages } from '../../../src/tools/cli/migrate/modules.ts';
import { needs, partNamed } from '../../support/real/parts.ts';

/** The names of Apollo's own values that migrated code cannot import, and that the command does not report. */
function missingIn(part: string): string[] {
  const { folder } = partNamed(part);
  const load = createRequire(join(folder, 'package.json'));
  const loadOurs = createRequire(import.meta.url);
  const installed = replacedPackages.filter((name) => existsSync(join(folder, 'node_modules', name)));
  ok(installed.length > 5);
  // Version 2 exported those of graphql-tools, which have moved to several packages.
  const toolNames = existsSync(join(folder, 'node_modules/graphql-tools')) ? Object.keys(load('graphql-tools')) : [];
  return installed.flatMap((name) =>
    Object.keys(load(name)).flatMap((exported) => {
      const { module, left } = destinationOf(name, [exported]);
      if (left.length > 0 || exported in globalThis || toolNames.includes(exported)) return [];
      return module !== undefined && exported in loadOurs(module) ? [] : [`${exported} of ${name}`];
    }),
  );
}

for (const part of ['version-3', 'version-3-hosts', 'migration-version-2'])
  test(`the entries export what Apollo's packages do, or the command reports it: ${part}`, needs(part), () => {
    deepEqual(missingIn(part), []);
  });
