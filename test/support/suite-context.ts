import { after } from 'node:test';
import type { TestContext } from 'node:test';

/** The part of a test context that helpers use, for a whole suite: `after` runs at the end of the suite. */
export function suiteContext(): TestContext {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return { after: (end: () => unknown) => void ends.push(end) } as TestContext;
}
