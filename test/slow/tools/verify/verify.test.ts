import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startCommand } from '../../../support/program.ts';

/** Changes of the executor, which are planted while its sources load. */
const bugs: Record<string, [file: string, before: string, after: string]> = {
  'an alias that is ignored': ['run/fields.ts', 'result[field.responseName] = value;', 'result[field.fieldName] = value;'],
  'in generated code, an Int with a fraction': ['built-in-scalars.ts', '&& (${name} | 0) === ${name}', ''],
};

/** Sends queries to a tester that verifies them, in a process of its own. Prints the message of a difference. */
const program = (plant: readonly string[]): string => `
  import { readFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  const [file, before, after] = ${JSON.stringify(plant)};
  registerHooks({
    load(url, context, next) {
      if (!url.endsWith('/src/executor/' + file)) return next(url, context);
      const source = readFileSync(new URL(url), 'utf8');
      if (!source.includes(before)) throw new Error('Nothing to plant the bug in: ' + before);
      return { format: 'module-typescript', source: source.replace(before, () => after), shortCircuit: true };
    },
  });
  const { createTester } = await import('./src/entries/testing.ts');
  const typeDefs = 'type Query { rows: [Row!] one: Row } type Row { id: ID count: Int }';
  const rows = Array.from({ length: 10_200 }, (_, id) => ({ id, count: id === 10_199 ? 1.5 : id }));
  const { run } = createTester({ typeDefs, resolvers: { Query: { rows: () => rows, one: () => rows[1] } } }, { verify: true });
  for (const query of ['{ one { a: id __typename } }', '{ rows { id count } }'])
    console.log((await run(query)).errors?.find(({ path }) => path === undefined)?.message ?? 'silent');`;

describe('a bug of the executor', () => {
  for (const [name, plant] of Object.entries({ none: ['none', '', ''], ...bugs }))
    test(`${name}: ${name === 'none' ? 'nothing' : 'it'} is noticed`, async (context) => {
      const argv = ['--no-warnings', '--input-type=module', '-e', program(plant)];
      const { code, stdout, stderr } = await startCommand(context, argv, { cwd: process.cwd() }).exited;

      assert.equal(code, 0, stderr);
      assert.match(stdout, name === 'none' ? /^silent\nsilent\n$/ : /^This query has another result with graphql-js/m);
    });
});

test('the last line says how many queries were compared, and why other operations were not', async (context) => {
  const source = `
    import { limits } from './src/entries/limits.ts';
    import { createTester } from './src/entries/testing.ts';
    const resolvers = { Query: { ok: () => true, list: () => [1] }, Mutation: { ok: () => true } };
    const typeDefs = 'type Query { ok: Boolean list(first: Int): [Int] } type Mutation { ok: Boolean }';
    const { run } = createTester({ typeDefs, resolvers, plugins: [limits({ pageLimits: { default: 10, max: 20 } })] }, { verify: true });
    await run('{ ok }');
    await run('{ list(first: 2) }');
    await run('query ($first: Int) { list(first: $first) }', { first: 2 });
    await run('{ ok }', {}, { onError: 'HALT' });
    await run('mutation { ok }');
    await run('{ list }');
    await run('query ($first: Int) { list(first: $first) }');
    await run('{ nothing }');`;

  const { code, stderr } = await startCommand(context, ['--input-type=module', '-e', source], { cwd: process.cwd() }).exited;

  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /queries compared with graphql-js, and others: \{"compared":3,"onError":1,"mutation":1,"default size of a page":2,"refused, or answered by a plugin":1\}/,
  );
});
