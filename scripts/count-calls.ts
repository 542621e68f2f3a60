/**
 * Counts the calls of functions of src/ that a warm POST of `{ hello }` makes, from the event of an HTTP API to its result, and the files
 * and functions that they enter. `--list` prints every function, in the order of the files; `--files` each file.
 * Run: node scripts/count-calls.ts [--list | --files] [another checkout]
 */
import { Session } from 'node:inspector/promises';
import type { Profiler } from 'node:inspector';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { createEvent } from '../bench/event.ts';

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean' }, files: { type: 'boolean' } },
  allowPositionals: true,
});
const sources = pathToFileURL(resolve(positionals[0] ?? '.', 'src')).href + '/';

type Handler = (event: object, context: object) => Promise<{ readonly statusCode: number; readonly body: string }>;

interface CountedFunction {
  readonly file: string;
  readonly name: string;
  readonly calls: number;
}

const counted = await countCalls();
const files = new Map(counted.map(({ file }) => [file, counted.filter((one) => one.file === file)]));
const sumOf = (functions: readonly CountedFunction[]): number => functions.reduce((sum, { calls }) => sum + calls, 0);
for (const [file, functions] of files) {
  if (values.list || values.files) console.log(`${String(sumOf(functions)).padStart(4)}  ${file}`);
  if (values.list) for (const { name, calls } of functions) console.log(`${String(calls).padStart(10)}  ${name}`);
}
console.log(`A warm POST of { hello }: ${files.size} files, ${counted.length} functions, ${sumOf(counted)} calls.`);

async function countCalls(): Promise<readonly CountedFunction[]> {
  const { createHandler } = (await import(`${sources}entries/aws-lambda.ts`)) as { createHandler: (options: object) => Handler };
  const handler = createHandler({ typeDefs: 'type Query { hello: String! }', resolvers: { Query: { hello: () => 'world' } } });
  const call = async (): Promise<void> => {
    const { statusCode, body } = await handler(createEvent(JSON.stringify({ query: '{ hello }' })), {});
    if (statusCode !== 200) throw new Error(`Expected an answer, got ${statusCode}: ${body}`);
  };
  for (let warmUp = 0; warmUp < 100; warmUp++) await call();

  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result.flatMap(functionsOf).toSorted((one, other) => (one.file < other.file ? -1 : one.file > other.file ? 1 : 0));
}

/** Without the functions that V8 makes of the fields of a class. */
function functionsOf({ url, functions }: Profiler.ScriptCoverage): readonly CountedFunction[] {
  if (!url.startsWith(sources)) return [];
  return functions.flatMap(({ functionName, ranges }) => {
    const calls = ranges[0]?.count ?? 0;
    return calls === 0 || functionName === '<instance_members_initializer>'
      ? []
      : [{ file: url.slice(sources.length), name: functionName || '(anonymous)', calls }];
  });
}
