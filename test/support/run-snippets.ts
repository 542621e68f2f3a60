/**
 * Runs snippets of the documentation in a separate process: `node run-snippets.ts <files as JSON>`. Prints the problems of each as JSON.
 * A snippet must load, log what its comments `// → …` say, and its exported handler must answer.
 */
import { inspect } from 'node:util';

import { callStreamingHandler, isStreamingHandler } from '../../src/tools/testing/response-stream.ts';

interface Failure {
  readonly file: string;
  readonly problem: string;
}

const files = JSON.parse(process.argv[2] ?? '[]') as { file: string; path: string; expected: string[]; takesEvents: boolean }[];
const failures: Failure[] = [];
const body = JSON.stringify({ query: '{ __typename }' });
const headers = { 'content-type': 'application/json' };
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
    const answer = takesEvents ? await sendEvent(handler) : await sendRequest(handler);
    if (answer !== undefined && answer !== '{"data":{"__typename":"Query"}}')
      failures.push({ file, problem: `its handler answered ${answer}` });
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

/** The response of an exported handler to a minimal operation; undefined for an export that is not a handler. */
async function sendRequest(handler: unknown): Promise<string | undefined> {
  if (!hasFetch(handler)) return undefined;
  const response = await handler.fetch(new Request('https://example.com/graphql', { method: 'POST', headers, body }), {}, {});
  return response.text();
}

/** The response of a handler that serves only Lambda. */
async function sendEvent(handler: unknown): Promise<string | undefined> {
  if (typeof handler !== 'function') return undefined;
  const requestContext = { domainName: 'example.lambda-url.eu-central-1.on.aws', http: { method: 'POST', path: '/graphql' } };
  const event = { version: '2.0', rawPath: '/graphql', rawQueryString: '', headers, body, requestContext };
  if (isStreamingHandler(handler)) {
    const response = await callStreamingHandler({ handler, event, context: {}, readHead: () => new Response() });
    return response.text();
  }
  const result = (await handler(event, {})) as { body: string };
  return result.body;
}

function hasFetch(handler: unknown): handler is { fetch: (request: Request, env: object, context: object) => Promise<Response> } {
  return handler !== null && handler !== undefined && typeof (handler as { fetch?: unknown }).fetch === 'function';
}
