import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { freePort } from '../../support/free-port.ts';
import { startProgram } from '../../support/program.ts';
import { needs } from '../../support/real/parts.ts';
import { writeFiles } from '../../support/write-files.ts';
import { writeRecipes } from '../recipes/project.ts';

test('the server of docs/observability.md counts an operation in the metrics that Prometheus reads', needs('telemetry'), async (t) => {
  const project = await writeRecipes('docs/observability.md', 'telemetry');
  t.after(() => project.remove());
  const [port, metricsPort] = [await freePort(), await freePort()];
  const server = await readFile(join(project.folder, 'server.ts'), 'utf8');
  const schema = "export const typeDefs = 'type Query { hello: String }', resolvers = { Query: { hello: () => 'Hello!' } };";
  await writeFiles(project.folder, {
    'graphql/schema.ts': schema,
    'server.ts': `${server.replace('9464', String(metricsPort)).replace('\n});', `\n}, { port: ${port} });`)}\nconsole.log('Ready');\n`,
  });
  assert.equal(await project.compile(), '');
  const program = startProgram(process.execPath, ['--no-warnings', 'server.ts'], { cwd: project.folder });
  t.after(() => program.end());
  await program.printed(/Ready/);

  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query: 'query Hello { hello }' });
  const answer = await fetch(`http://localhost:${port}/`, { method: 'POST', headers, body });
  const metrics = await (await fetch(`http://localhost:${metricsPort}/metrics`)).text();

  assert.deepEqual(await answer.json(), { data: { hello: 'Hello!' } });
  assert.match(metrics, /^graphql_server_operation_duration(?:_seconds)?_count\{.*Hello.*\} 1$/m);
});
