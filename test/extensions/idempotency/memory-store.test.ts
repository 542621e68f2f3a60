import { describe, test } from 'node:test';

import { memoryStore } from '../../../src/entries/idempotency.ts';
import { idempotencyStoreTests } from '../../../src/entries/testing.ts';

describe('memoryStore', () => {
  for (const { name, run } of idempotencyStoreTests(() => memoryStore())) test(name, run);
});
