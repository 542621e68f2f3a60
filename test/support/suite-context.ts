import { after } from 'node:test';
import type { TestContext } from 'node:test';

/** What helpers need of a test, for all tests of a suite: `after` means the end of the suite. */
export function suiteContext(): TestContext {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return { after: (end: () => unknown) => void ends.push(end) } as TestContext;
}
