/**
 * Runs snippets of the documentation in a separate process: `node run-snippets.ts <files as JSON>`. Prints the problems of each as JSON.
 * A snippet must load, log what its comments `// → …` say, and its exported handler must answer.
 */
import { inspect } from 'node:util';

import { createTester } from '../../src/entries/testing.ts';
import type { AnyHandler } from '../../src/tools/testing/tester.ts';

interface Failure {
  readonly file: string;
  readonly problem: string;
}

const files = JSON.parse(process.argv[2] ?? '[]') as { file: string; path: string; expected: string[]; takesEvents: boolean }[];
const failures: Failure[] = [];
const print = console.log;
// stdout is reserved for the list of problems.
console.info = console.debug = console.error;

for (const { file, path, expected, takesEvents } of files) {
  const logged: string[] = [];
  console.log = (...values: unknown[]) => void logged.push(values.map(shown).join(' '));
  try {
    const module = (await import(path)) as Record<string, unknown>;
    if (expected.length > 0 && logged.join('\n') !== expected.join('\n'))
      failures.push({ file, problem: `expected it to log\n${expected.join('\n')}\nand it logged\n${logged.join('\n')}` });
    const handler = module['default'] ?? module['handler'];
    const worker = handler as { readonly fetch?: (...given: unknown[]) => unknown } | undefined;
    // The bindings of the page's worker.
    const env = { POINTS: { idFromName: (): void => {} } };
    const serve = worker?.fetch?.bind(worker);
    const call = typeof handler === 'function' ? handler : serve && ((request: Request, context: object) => serve(request, env, context));
    // Other exports are not handlers.
    if (call === undefined) continue;
    const { run } = createTester(call as AnyHandler, { platform: takesEvents ? 'function-url' : 'fetch' });
    const answer = await run('{ __typename }');
    if (answer.data?.__typename !== 'Query') failures.push({ file, problem: `its handler answered ${JSON.stringify(answer)}` });
  } catch (error) {
    failures.push({ file, problem: inspect(error) });
  }
}
print(JSON.stringify(failures));
// Exits without waiting for servers and stores that snippets have opened.
process.exit(0);

function shown(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { breakLength: Infinity, depth: 8 });
}
