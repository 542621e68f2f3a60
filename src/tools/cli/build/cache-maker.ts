// Creates the code cache of a bundle. Runs in a separate process with the platform's flags.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { compileCached } from './compile-cached.ts';
import { collectCreators, send, warmUp } from './warm-up.ts';

const [, , file = '', cache = ''] = process.argv;
const creators = collectCreators();
const bundle = readFileSync(file);
const { script, run } = compileCached(file, bundle.toString('utf8'));
const exported = run(createRequire(file));
for (const create of creators) await warmUp(create);
// Warms up the function itself, with an operation that runs no resolver.
const handler = exported['handler'] ?? exported['default'];
if (typeof handler === 'function') await send(handler, { query: '{ __typename }' });
// V8's data comes first, because V8 requires its alignment.
writeFileSync(cache, Buffer.concat([script.createCachedData(), bundle]));
process.send?.(Object.keys(exported));
// Timers and connections of the function would keep the process alive.
process.exit();
