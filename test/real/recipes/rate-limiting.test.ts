import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

import { startRedis } from '../../datasources/cache/processes.ts';
import { freePort } from '../../support/free-port.ts';
import { needs, needsProgram } from '../parts.ts';
import { writeRecipes } from './project.ts';
import type { RecipeProject } from './project.ts';

const withRedis = { skip: needs('recipes').skip || needsProgram('redis-server').skip };

/** Sends operations for two users to the function, and prints the statuses. */
const program = `
import handler from './functions/graphql.ts';

const statuses: number[] = [];
for (const user of ['ada', 'ada', 'ada', 'grace']) {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'key-of-' + user };
  const response = await handler.fetch(new Request('http://localhost/', { method: 'POST', headers, body: '{"query":"{ dear }"}' }));
  statuses.push(response.status);
}
console.log(statuses.join());
process.exit();
`;
const schema = `
export const typeDefs = 'type Query { dear: [Dear] } type Dear { a: Int b: Int c: Int d: Int e: Int f: Int g: Int h: Int i: Int }';
export const resolvers = { Query: { dear: () => [] } };
`;

async function writeProject(): Promise<RecipeProject> {
  const project = await writeRecipes('docs/rate-limiting.md', 'recipes');
  await mkdir(join(project.folder, 'graphql'));
  await writeFile(join(project.folder, 'graphql/schema.ts'), schema);
  await writeFile(join(project.folder, 'run.ts'), program.replace('{ dear }', '{ dear { a b c d e f g h i } }'));
  return project;
}

async function run({ folder }: RecipeProject, port: number): Promise<string> {
  const { PATH } = process.env;
  const env = { PATH, REDIS_URL: `redis://127.0.0.1:${port}` };
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', 'run.ts'], { cwd: folder, env });
  return stdout.trim();
}

describe('the recipe of docs/rate-limiting.md', () => {
  test('compiles, strictly', needs('recipes'), async (context) => {
    const project = await writeProject();
    context.after(() => project.remove());

    assert.equal(await project.compile(), '');
  });

  test('limits each user in all processes', withRedis, async (context) => {
    const port = await freePort();
    await startRedis(context, port);
    const project = await writeProject();
    context.after(() => project.remove());

    // An operation costs 91 of 100 points.
    assert.deepEqual([await run(project, port), await run(project, port)], ['200,429,429,200', '429,429,429,429']);
  });

  test('lets operations run without Redis', needs('recipes'), async (context) => {
    const project = await writeProject();
    context.after(() => project.remove());

    assert.equal(await run(project, await freePort()), '200,200,200,200');
  });
});
