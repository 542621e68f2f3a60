import { parseArgs } from 'node:util';

/** The arguments of `graphql-functions dev`. */
export interface DevArguments {
  readonly name: 'dev';
  /** The folder whose functions are served. Undefined: functions, else netlify/functions. */
  readonly functions: string | undefined;
  readonly prefix: string;
  /** Undefined: 8888, or the next free one. */
  readonly port: number | undefined;
  readonly host: string;
  /** Environment variables of the functions; `{url}` in a value is the server's address. */
  readonly env: Readonly<Record<string, string>>;
  /** An operation to run once, when the server has started. */
  readonly query: string | undefined;
}

/** What the user has asked for, in words of the command line that nobody can act on. */
export class UsageError extends Error {}

export const usage = `graphql-functions dev [options]

Serves every function of a folder on this machine, as the platform would, and again after every change.

  --functions <folder>   where the functions are        (default: functions, else netlify/functions)
  --prefix <path>        the path in front of names     (default: /.netlify/functions)
  --port <number>        0: any free port               (default: 8888, or the next free one)
  --host <name>          the interface to listen on     (default: localhost)
  --env <NAME=value>     a variable for the functions; {url} in it is the server's address. May be repeated.
  --query <operation>    runs it once at the start, and prints the answer
  --help                 prints this

NODE_ENV is "development" unless it is set.`;

/** Command line → command. Throws a UsageError that says what to write instead. */
export function parseArguments(argv: readonly string[]): DevArguments | { readonly name: 'help' } {
  const { values, positionals } = parse(argv);
  if (values.help === true || positionals[0] === undefined || positionals[0] === 'help') return { name: 'help' };
  if (positionals[0] !== 'dev') throw new UsageError(`There is no command "${positionals[0]}".\n\n${usage}`);
  if (positionals[1] !== undefined) throw new UsageError(`Expected options after dev, got "${positionals[1]}".\n\n${usage}`);
  return {
    name: 'dev',
    functions: values.functions,
    prefix: toPrefix(values.prefix ?? '/.netlify/functions'),
    port: values.port === undefined ? undefined : toPort(values.port),
    host: values.host ?? 'localhost',
    env: Object.fromEntries((values.env ?? []).map(toVariable)),
    query: values.query,
  };
}

const text = { type: 'string' } as const;
const options = {
  functions: text,
  prefix: text,
  port: text,
  host: text,
  env: { type: 'string', multiple: true },
  query: text,
  help: { type: 'boolean', short: 'h' },
} as const;

function parse(argv: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`, { cause: error });
  }
}

/** With a slash in front and none behind, so that a name can follow; "/" serves names at the root. */
function toPrefix(prefix: string): string {
  return `/${prefix}`.replace(/^\/+/, '/').replace(/\/+$/, '');
}

function toPort(port: string): number {
  const number = Number(port);
  if (port.trim() !== '' && Number.isInteger(number) && number >= 0 && number < 65_536) return number;
  throw new UsageError(`Expected --port to be a number from 0 to 65535, got "${port}".`);
}

function toVariable(assignment: string): [name: string, value: string] {
  const at = assignment.indexOf('=');
  if (at > 0) return [assignment.slice(0, at), assignment.slice(at + 1)];
  throw new UsageError(`Expected --env NAME=value, got --env ${assignment}.`);
}
