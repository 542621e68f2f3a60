// Runs in a process of its own, which has the flags of the platform's: makes the code cache of a bundle.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { compileCached } from './compile-cached.ts';
import { collectMakers, send, warmUp } from './warm-up.ts';

const [, , file = '', cache = ''] = process.argv;
const makers = collectMakers();
const bundle = readFileSync(file);
const { script, run } = compileCached(file, bundle.toString('utf8'));
const exported = run(createRequire(file));
for (const create of makers) await warmUp(create);
// The function itself, by an operation that runs no resolver.
const handler = exported['handler'] ?? exported['default'];
if (typeof handler === 'function') await send(handler as (event: unknown, context: object) => unknown, { query: '{ __typename }' });
// V8's first, where it is aligned as V8 wants it.
writeFileSync(cache, Buffer.concat([script.createCachedData(), bundle]));
process.send?.(Object.keys(exported));
// Timers and connections of the function would keep the process from ending.
process.exit();
