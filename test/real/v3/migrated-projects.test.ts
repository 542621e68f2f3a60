import { deepEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runMigrate } from '../../../src/tools/cli/migrate/migrate.ts';
import { importProjects } from '../../support/migrate/projects.ts';
import type { ExampleProject } from '../../support/migrate/projects.ts';
import { freePort } from '../../support/free-port.ts';
import { needs, partNamed } from '../../support/real/parts.ts';
import { installOurs, withoutLocations } from './answers.ts';

/** The requests that are sent to each project before and after the migration. */
const requests = [
  { method: 'POST', body: { query: '{ hello }' } },
  { method: 'POST', body: { query: 'query A($name: String) { hello(name: $name) }', variables: { name: 'you' } } },
  { method: 'POST', body: { query: '{ fail }' } },
  { method: 'POST', body: { query: '{ nope }' } },
  { method: 'POST', body: { query: '{ __schema { queryType { name } } }' } },
  { method: 'POST', body: [{ query: '{ hello }' }, { query: '{ hello(name: "b") }' }] },
  { method: 'OPTIONS', body: undefined },
];

/** A program that calls the handler, and prints the status, body and CORS fields of each response. */
const program = `
const [entry, caller, port] = process.argv.slice(2);
const requests = ${JSON.stringify(requests)};
const fields = { 'content-type': 'application/json', origin: 'https://shop.example', 'x-user': 'u', 'access-control-request-method': 'POST' };
const log = console.log;
console.log = console.info = console.error = console.warn = () => {};
const module = await import(entry);
const find = (name) => module[name] ?? module.default?.[name] ?? module.default;
const call = {
  lambda: async (method, body) => find('handler')({ version: '2.0', rawPath: '/graphql', rawQueryString: '', headers: fields, requestContext: { http: { method, path: '/graphql', sourceIp: '192.0.2.1' }, domainName: 'api.example', stage: '$default' }, isBase64Encoded: false, body }, {}, () => {}),
  'lambda-rest': (method, body) => new Promise((resolve, reject) => {
    const event = { resource: '/{proxy+}', path: '/graphql', httpMethod: method, headers: fields, multiValueHeaders: {}, queryStringParameters: null, requestContext: { path: '/graphql', stage: 'prod', identity: {} }, isBase64Encoded: false, body: body ?? null };
    const returned = find('handler')(event, {}, (error, result) => (error ? reject(error) : resolve(result)));
    returned?.then?.((result) => result && resolve(result), reject);
  }),
  fetch: async (method, body) => {
    const request = new Request('http://localhost/graphql', { method, headers: fields, body });
    const served = method === 'POST' || module.OPTIONS ? module[method] : module.GET;
    const main = served ?? module.default;
    const response = await (typeof main === 'function' ? main(request, {}) : main.fetch(request, {}, { waitUntil() {} }));
    return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  },
  node: async (method, body) => {
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await fetch('http://localhost:' + port + '/graphql', { method, headers: fields, body });
        return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
      } catch (error) {
        if (attempt > 200) throw error;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
  },
}[caller];
const answers = [];
for (const { method, body } of requests) {
  const { statusCode, headers = {}, multiValueHeaders = {}, body: text } = await call(method, body === undefined ? undefined : JSON.stringify(body));
  const cors = Object.entries({ ...headers, ...multiValueHeaders }).filter(([name]) => /^access-control-allow-(origin|credentials)$/i.test(name)).map(([name, value]) => name.toLowerCase() + ': ' + value);
  let parsed;
  try { parsed = JSON.parse(text); } catch { parsed = null; }
  answers.push({ status: statusCode, body: parsed, cors: cors.toSorted() });
}
log(JSON.stringify(answers));
process.exit(0);
`;

interface Answer {
  readonly status: number;
  readonly body: any;
  readonly cors: readonly string[];
}

async function answersOf(directory: string, { entry, caller }: ExampleProject): Promise<Answer[]> {
  await writeFile(join(directory, 'run.mjs'), program);
  const port = String(await freePort());
  const child = spawn(process.execPath, ['--no-warnings', 'run.mjs', join(directory, entry), caller, port], {
    cwd: directory,
    env: { ...process.env, NODE_ENV: 'production', PORT: port },
  });
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (printed === '') throw new Error(errors);
  return JSON.parse(printed) as Answer[];
}

async function createProject(context: TestContext, { files }: ExampleProject): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'migrated-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  for (const [file, contents] of Object.entries(files)) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await writeFile(join(directory, file), contents);
  }
  return directory;
}

async function answersBefore(context: TestContext, project: ExampleProject): Promise<Answer[]> {
  const directory = await createProject(context, project);
  await symlink(join(partNamed(project.part!).folder, 'node_modules'), join(directory, 'node_modules'));
  return answersOf(directory, project);
}

/** The packages that package.json lists after the migration, from the parts. */
const installed: Readonly<Record<string, readonly string[]>> = {
  'migration-version-3': ['@apollo/subgraph', '@graphql-tools/mock', 'apollo-server-plugin-response-cache', 'graphql-tag'],
};

async function answersAfter(context: TestContext, project: ExampleProject): Promise<Answer[]> {
  const directory = await createProject(context, project);
  const silent = { log() {}, error() {} };
  await runMigrate({ name: 'migrate', paths: ['.'], isDryRun: false }, directory, silent as never);
  const entry = join(directory, project.entry);
  for (const [before, after] of project.byHand ?? []) await writeFile(entry, (await readFile(entry, 'utf8')).replace(before, after));
  const name = project.part === 'migration-version-2' ? 'migration-version-3' : project.part!;
  const modules = join(partNamed(name).folder, 'node_modules');
  const manifest = await readFile(join(directory, 'package.json'), 'utf8').catch(() => undefined);
  installOurs(directory, join(modules, 'graphql'));
  if (manifest !== undefined) await writeFile(join(directory, 'package.json'), manifest);
  for (const one of installed[name]!) {
    await mkdir(dirname(join(directory, 'node_modules', one)), { recursive: true });
    await symlink(join(modules, one), join(directory, 'node_modules', one));
  }
  return answersOf(directory, project);
}

for (const [name, project] of Object.entries(importProjects)) {
  test(`the same answers with changed imports: ${name}`, needs(project.part!, 'migration-version-3'), async (context) => {
    const before = await answersBefore(context, project);
    const after = await answersAfter(context, project);

    // Version 3 with graphql 16 omitted the locations of errors in a document. Version 2 had them.
    if (project.part === 'migration-version-2') deepEqual(after, before);
    else deepEqual(withoutLocations(after), withoutLocations(before));
  });
}
