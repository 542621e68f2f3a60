import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { frontDoors } from '../../support/sources.ts';

const program = fileURLToPath(new URL('../../support/heap/after-requests.ts', import.meta.url));

test('after requests the heap retains only the texts of their documents, on every platform, and the last Accept', () => {
  const output = execFileSync(process.execPath, [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

  const left = JSON.parse(output) as string[];
  const [documents, others] = [
    left.filter((place) => place.startsWith('document_')),
    left.filter((place) => !place.startsWith('document_')),
  ];
  assert.deepEqual(others, ['accept_with_a_mutation_netlify_Netlify_1']);
  // Documents are kept, by query text: the snapshot does see what is reachable.
  assert.ok(documents.length >= frontDoors.length, `${documents.length} documents`);
});
