import { deepEqual } from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { build } from 'esbuild';

const root = join(import.meta.dirname, '../../..');

/** Entries for Lambda, for Node, or for development. The others run on Workers without nodejs_compat. */
const forNode = ['aws-lambda', 'idempotency', 'node', 'playground', 'testing'];
const files = readdirSync(join(root, 'src/entries')).filter((name) => name.endsWith('.ts'));
const webEntries = files.map((name) => name.replace('.ts', '')).filter((entry) => !forNode.includes(entry) && !entry.startsWith('v3'));
/** Global variables of Node that the web does not have. Properties such as `globalThis.Buffer?.from` are allowed: they are undefined elsewhere. */
const names = ['Buffer', 'process', 'global', 'setImmediate', 'clearImmediate', '__dirname', '__filename'];

/** A read that is guarded by the type of the same name. */
const guardedRead = /typeof (free_\w+) === "\w+" \? \1\b/g;

describe('a bundle for the web reads no global of Node', () => {
  for (const entry of webEntries) {
    it(entry, async () => {
      const { outputFiles } = await build({
        entryPoints: [join(root, `src/entries/${entry}.ts`)],
        bundle: true,
        write: false,
        platform: 'neutral',
        format: 'esm',
        mainFields: ['module', 'main'],
        conditions: ['worker'],
        // Peer dependencies, which check that a global exists before they read it.
        external: ['@opentelemetry/api', 'graphql'],
        logLevel: 'silent',
        tsconfigRaw: {},
        // Free names only: esbuild leaves properties and variables of the same name alone.
        define: Object.fromEntries(names.map((name) => [name, `free_${name}`])),
      });
      const lines = outputFiles[0]!.text.split('\n').filter((line) => !line.trimStart().startsWith('//'));
      const code = lines.map((line) => line.replaceAll(guardedRead, ''));

      // The web's timers are numbers.
      deepEqual(
        code.filter((line) => /(?<!typeof )\bfree_|\.unref\(/.test(line)),
        [],
      );
    });
  }
});
