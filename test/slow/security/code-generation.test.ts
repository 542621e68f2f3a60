import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { createHandler } from '../../../src/entries/index.ts';
import { createTester } from '../../../src/entries/testing.ts';

const typeDefs = 'type Query { rows: [Row!]! } type Row { id: Int! name: String! }';
const rows = Array.from({ length: 10_100 }, (_, id) => ({ id, name: `row "${id}" \u2028 \${id}` }));
const resolvers = { Query: { rows: () => rows } };

for (const flag of ['--disallow-code-generation-from-strings', '--no-warnings'])
  test(`a process with ${flag} answers large lists`, async () => {
    const program = `
      import { createHandler } from ${JSON.stringify(join(import.meta.dirname, '../../../src/entries/index.ts'))};
      const handler = createHandler({ typeDefs: ${JSON.stringify(typeDefs)}, resolvers: { Query: { rows: () => Array.from({ length: 10100 }, (_, id) => ({ id, name: 'n' })) } } });
      const request = () => new Request('http://localhost/', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{ rows { id name } }"}' });
      for (let call = 0; call < 3; call++) console.log((await (await handler.fetch(request())).json()).data.rows.length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', flag, '--input-type=module', '--eval', program]);

    assert.equal(stdout, '10100\n10100\n10100\n');
  });

test("a client's names get into generated code as text alone, whatever they are called", async () => {
  const names = '__proto__ constructor source rest v0 Row eval return size toString definitions this f0 d0'.split(' ');
  const { send } = createTester(createHandler({ typeDefs, resolvers }));
  const query = `{ rows { ${names.map((name) => `${name}: name`).join(' ')} ${names.map((name) => `x_${name}: id`).join(' ')} } }`;
  const ask = async (): Promise<string> =>
    (await send({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) })).text();
  // The names are generated code from the second call on.
  const [first, second] = [await ask(), await ask()];

  assert.equal(second, first);
  const [row] = (JSON.parse(second) as { data: { rows: Record<string, unknown>[] } }).data.rows;
  assert.deepEqual(Object.keys(row!).toSorted(), [...names, ...names.map((name) => `x_${name}`)].toSorted());
  assert.equal((globalThis as Record<string, unknown>)['polluted'], undefined);
});
