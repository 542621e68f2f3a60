import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { diagnose, wireForm } from '../../../../src/tools/cli/doctor/diagnosis.ts';
import { createEvent } from '../../../../src/entries/testing.ts';
import { runCommandHere } from '../../../support/command-here.ts';
import type { Outcome } from '../../../support/command.ts';
import { createProject, linkPackage } from '../../../support/functions-project.ts';
import { recordedEvents } from '../../../support/recorded-events.ts';

const word = 'hello';
const graphql = `import { createHandler } from 'graphql-functions';
export default createHandler({ typeDefs: 'type Query { a: String }', rootValue: { a: '${word}' } });`;

async function doctor(context: TestContext, files: Readonly<Record<string, string>>, ...argv: string[]): Promise<Outcome> {
  const project = await createProject(context, files);
  await linkPackage(project);
  return runCommandHere(project.directory, 'doctor', ...argv);
}

const post = JSON.stringify(createEvent('aws-http', { headers: { 'content-type': 'application/json' }, body: '{"query":"{ a }"}' }));

test('doctor prints the source of an event, its request and the response', async (context) => {
  const files = { 'functions/graphql.ts': graphql, 'event.json': post };

  const { code, stdout, stderr } = await doctor(context, files, '--event', 'event.json');

  assert.match(stdout, /^Source {3}API Gateway HTTP API \(2\.0\)\n/);
  assert.match(stdout, /\nRequest {2}POST \/graphql\n {9}content-type: application\/json\n {9}\n {9}\{"query":"\{ a \}"\}\n/);
  assert.match(stdout, /\nAnswer {3}\{\n {11}"statusCode": 200,/);
  assert.ok(stdout.includes(String.raw`"body": "{\"data\":{\"a\":\"${word}\"}}"`), stdout);
  assert.match(stdout, /\nBody {5}\{\n {11}"data": \{\n {13}"a": "hello"\n/);
  assert.match(stderr, /Bundling and calling functions\/graphql\.ts …/);
  assert.equal(code, 0);
});

test('doctor calls the named function and shows where it failed', async (context) => {
  const files = {
    'functions/graphql.ts': graphql,
    'functions/other.ts': "export const handler = () => {\n  throw new Error('Not today.');\n};",
    'event.json': post,
  };

  const { code, stdout } = await doctor(context, files, '--event', 'event.json', '--function', 'other');

  assert.match(stdout, /Answer {3}None\. functions\/other\.ts failed:[^]*Not today\.[^]*other\.ts:2:9/);
  assert.equal(code, 1);
});

test('doctor says why the platform would reject a result', async (context) => {
  const event = JSON.stringify(createEvent('aws-rest', { body: '{}' }));
  const wrong = 'export const handler = async () => ({ statusCode: 200, body: { a: 1 }, extra: 1 });';

  const { code, stdout } = await doctor(context, { 'functions/graphql.ts': wrong, 'event.json': event }, '--event', 'event.json');

  assert.match(stdout, /\nProblem {2}API Gateway REST API, or HTTP API \(1\.0\) would reject this result: it has the key "extra"/);
  assert.equal(code, 1);
});

test('doctor reads what a function writes into the stream of Lambda’s runtime', async (context) => {
  const streaming = graphql
    .replace('graphql-functions', 'graphql-functions/aws-lambda')
    .replaceAll('createHandler', 'createStreamingHandler');
  const event = createEvent('function-url', { headers: { 'content-type': 'application/json' }, body: '{"query":"{ a }"}' });
  const files = { 'functions/graphql.ts': streaming, 'event.json': JSON.stringify(event) };

  const { code, stdout } = await doctor(context, files, '--event', 'event.json');

  assert.match(stdout, /^Source {3}Lambda function URL\n/);
  assert.match(stdout, /\nAnswer {3}\{\n {11}"statusCode": 200,/);
  assert.match(stdout, /\nBody {5}\{\n {11}"data": \{\n {13}"a": "hello"\n/);
  assert.equal(code, 0);
});

test('paths may be absolute', async (context) => {
  const files = { 'a/graphql.ts': graphql, 'b/graphql.ts': graphql, 'event.json': post, 'a.graphql': '{ b }' };
  const project = await createProject(context, files);
  await linkPackage(project);
  const at = (path: string): string => join(project.directory, path);

  const asked = await runCommandHere(import.meta.dirname, 'doctor', '--event', at('event.json'), '--functions', at('a'));
  const checked = await runCommandHere(import.meta.dirname, 'check', at('a.graphql'), '--functions', at('b'));

  assert.equal(asked.code, 0, asked.stderr);
  assert.match(checked.stdout, /a\.graphql:1:3 Cannot query field "b"/);
});

test('accepts a byte order mark, and reports a folder', async (context) => {
  const marked = await doctor(context, { 'event.json': `\u{FEFF}${post}` }, '--event', 'event.json');
  const folder = await doctor(context, { 'events/a.json': post }, '--event', 'events');

  assert.match(marked.stdout, /Source {3}API Gateway HTTP API/);
  assert.match(folder.stderr, /events: It is a folder\./);
});

test('an unknown event is a problem that lists its keys, and no function is called', async (context) => {
  const { code, stdout } = await doctor(context, { 'event.json': '{"a":1}' }, '--event', 'event.json');

  assert.match(stdout, /Source {3}unknown event/);
  assert.match(stdout, /Problem {2}.*a/);
  assert.equal(code, 1);
});

test('without functions, only the source and the request are printed', async (context) => {
  const { code, stdout } = await doctor(context, { 'event.json': post }, '--event', 'event.json');

  assert.match(stdout, /Answer {3}No functions folder found/);
  assert.equal(code, 0);
});

test('a missing event file, invalid JSON and a missing option are errors that say what to do', async (context) => {
  const missing = await doctor(context, {}, '--event', 'nope.json');
  const text = await doctor(context, { 'event.json': 'Hello' }, '--event', 'event.json');
  const unnamed = await doctor(context, {});

  assert.match(missing.stderr, /nope\.json: No such file\. Save an event as JSON/);
  assert.match(text.stderr, /event\.json: .*JSON.*Save an event as JSON/);
  assert.match(unnamed.stderr, /^doctor requires --event <file>/);
  assert.deepEqual([missing.code, text.code, unnamed.code], [1, 1, 1]);
});

test('every recorded event has a diagnosis: a request, or the reason why there is none', () => {
  for (const { file, event } of recordedEvents()) {
    const diagnosis = diagnose(event);

    if (diagnosis.kind === 'request') assert.match(wireForm(diagnosis.request), /^[A-Z]+ \//, file);
    else assert.match(diagnosis.problem, /\w+ \w+/, file);
  }
});

test('doctor names tracers that would see nothing', async (context) => {
  const files = { 'functions/graphql.ts': graphql, 'event.json': post, 'node_modules/dd-trace/package.json': '{}' };

  const { stdout } = await doctor(context, files, '--event', 'event.json');

  assert.match(stdout, /Tracing +dd-trace is installed\. It patches functions of graphql-js[^]*openTelemetry\(\)/);
  assert.doesNotMatch(stdout, /instrumentation-graphql/);
});
