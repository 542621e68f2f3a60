// Runs in a process of its own, which has the flags of the platform's: makes the code cache of a bundle.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { createEvent } from '../../testing/platforms.ts';
import { compileCached } from './compile-cached.ts';
import { createLambdaContext } from '../project/lambda-context.ts';

const [, , file = '', cache = ''] = process.argv;
const { script, run } = compileCached(file, readFileSync(file, 'utf8'));
const exported = run(createRequire(file));
await warmUp(exported['handler'] ?? exported['default']);
writeFileSync(cache, script.createCachedData());
process.send?.(Object.keys(exported));
// What the function has opened would keep the process from ending.
process.exit();

/** One operation, so that the cache has every function that a request needs. What the function thinks of it is its own affair. */
async function warmUp(handler: unknown): Promise<void> {
  if (typeof handler !== 'function') return;
  const call = handler as (event: unknown, context: object) => unknown;
  try {
    await call(
      createEvent('aws-http', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{ __typename }"}' }),
      createLambdaContext('warm-up'),
    );
  } catch {
    // A cache without it is of use too.
  }
}
