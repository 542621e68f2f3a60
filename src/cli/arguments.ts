import { parseArgs } from 'node:util';

import { devPlatforms } from './dev-platform.ts';
import type { PlatformSettings } from './dev-platform.ts';

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
  readonly platform: PlatformSettings;
  readonly cold: boolean;
  readonly freeze: boolean;
  /** Undefined: .env, where there is one. */
  readonly envFile: string | undefined;
  /** Whether to show the first GraphQL function in the browser. */
  readonly open: boolean;
}

/** The arguments of `graphql-functions doctor`. */
export interface DoctorArguments {
  readonly name: 'doctor';
  /** The file of the event. */
  readonly event: string;
  readonly functions: string | undefined;
  /** Which function to ask. Undefined: graphql, else the first. */
  readonly function: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** The arguments of `graphql-functions check`. */
export interface CheckArguments {
  readonly name: 'check';
  /** Patterns of files with operations. */
  readonly documents: readonly string[];
  readonly functions: string | undefined;
  /** Whose schema the operations are for. Undefined: graphql, or the only one. */
  readonly function: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** What somebody has asked for. */
export type Arguments = DevArguments | DoctorArguments | CheckArguments | { readonly name: 'help' };

/** What the user has asked for, in words of the command line that nobody can act on. */
export class UsageError extends Error {}

/** What `dev` takes. */
export const devUsage = `graphql-functions dev [options]

Serves every function of a folder on this machine, as the platform would, and again after every change.

  --functions <folder>   where the functions are        (default: functions, else netlify/functions)
  --prefix <path>        the path in front of names     (default: /.netlify/functions)
  --port <number>        0: any free port               (default: 8888, or the next free one)
  --host <name>          the interface to listen on     (default: localhost)
  --env <NAME=value>     a variable for the functions; {url} in it is the server's address. May be repeated.
  --env-file <file>      variables of a file            (default: .env, where there is one)
  --query <operation>    runs it once at the start, and prints the answer
  --open                 shows the first GraphQL function in the browser
  --platform <name>      netlify, netlify-v1, aws-http, aws-rest, function-url, alb or fetch: how functions are called
  --stage <name>         of aws-http and aws-rest: the first segment of the path
  --timeout <seconds>    ends a function that takes longer, and tells it how long it has
  --cold                 a new instance for every request
  --freeze               nothing runs between requests, as on Lambda
  --help                 prints this

NODE_ENV is "development" unless it is set.`;

const checkUsage = `graphql-functions check [options] [files of operations]

Loads every function, checks options, schema and resolvers, and validates operations: check 'src/**/*.graphql'
Prints what is wrong with file and line, and then ends with exit code 1.

  --functions <folder>   where the functions are               (default: functions, else netlify/functions)
  --function <name>      whose schema the operations are for   (default: graphql, or the only one)
  --env <NAME=value>     a variable for the functions. May be repeated.

NODE_ENV is "test" unless it is set.`;

const doctorUsage = `graphql-functions doctor --event <file> [options]

Says which source an event (a file of JSON) is of, which request it becomes, and what a function answers.

  --event <file>         the event
  --functions <folder>   where the functions are        (default: functions, else netlify/functions)
  --function <name>      which function is asked        (default: graphql, else the first)
  --env <NAME=value>     a variable for the functions. May be repeated.

NODE_ENV is "development" unless it is set.`;

/** What all commands take. */
export const usage: string = [devUsage, checkUsage, doctorUsage].join('\n\n');

/** Command line → command. Throws a UsageError that says what to write instead. */
export function parseArguments(argv: readonly string[]): Arguments {
  const [name, ...rest] = argv;
  if (name === undefined || ['help', '--help', '-h'].includes(name)) return { name: 'help' };
  if (!Object.hasOwn(commands, name)) throw new UsageError(`There is no command "${name}".\n\n${usage}`);
  if (rest.includes('--help') || rest.includes('-h')) return { name: 'help' };
  return commands[name as keyof typeof commands](rest);
}

const commands = { dev: parseDev, doctor: parseDoctor, check: parseCheck };

const text = { type: 'string' } as const;
const common = { functions: text, env: { type: 'string', multiple: true } } as const;

const flag = { type: 'boolean' } as const;
const devOptions = {
  prefix: text,
  port: text,
  host: text,
  query: text,
  platform: text,
  stage: text,
  timeout: text,
  cold: flag,
  freeze: flag,
  'env-file': text,
  open: flag,
} as const;

function parseDev(argv: readonly string[]): DevArguments {
  const { values, positionals } = parse(devUsage, argv, { ...common, ...devOptions } as const);
  refusePositionals('dev', positionals, devUsage);
  return {
    name: 'dev',
    functions: values.functions,
    prefix: toPrefix(values.prefix ?? '/.netlify/functions'),
    port: values.port === undefined ? undefined : toPort(values.port),
    host: values.host ?? 'localhost',
    env: toVariables(values.env),
    query: values.query,
    platform: toPlatform(values.platform, values.stage, values.timeout),
    cold: values.cold ?? false,
    freeze: values.freeze ?? false,
    envFile: values['env-file'],
    open: values.open ?? false,
  };
}

function parseDoctor(argv: readonly string[]): DoctorArguments {
  const { values, positionals } = parse(doctorUsage, argv, { ...common, event: text, function: text } as const);
  refusePositionals('doctor', positionals, doctorUsage);
  if (values.event === undefined) throw new UsageError(`Expected doctor --event <file>, got no --event.\n\n${doctorUsage}`);
  return { name: 'doctor', event: values.event, functions: values.functions, function: values.function, env: toVariables(values.env) };
}

function parseCheck(argv: readonly string[]): CheckArguments {
  const { values, positionals } = parse(checkUsage, argv, { ...common, function: text } as const);
  const { functions, function: named, env } = values;
  return { name: 'check', documents: positionals, functions, function: named, env: toVariables(env) };
}

function refusePositionals(command: string, [first]: readonly string[], help: string): void {
  if (first !== undefined) throw new UsageError(`Expected options after ${command}, got "${first}".\n\n${help}`);
}

type OptionTypes = NonNullable<Parameters<typeof parseArgs>[0] & object>['options'] & object;

function parse<T extends OptionTypes>(
  help: string,
  argv: readonly string[],
  options: T,
): ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${help}`, { cause: error });
  }
}

function toPlatform(name = 'netlify', stage: string | undefined, seconds: string | undefined): PlatformSettings {
  const platform = devPlatforms.find((one) => one === name);
  if (platform === undefined) throw new UsageError(`Expected --platform to be one of ${devPlatforms.join(', ')}, got "${name}".`);
  if (stage !== undefined && platform !== 'aws-http' && platform !== 'aws-rest')
    throw new UsageError(`Only API Gateway has stages: --stage goes with --platform aws-http or aws-rest, not with ${platform}.`);
  if (stage !== undefined && !/^\w+$/.test(stage)) throw new UsageError(`Expected --stage to be letters, digits and "_", got "${stage}".`);
  return { platform, stage, timeout: seconds === undefined ? undefined : toMilliseconds(seconds) };
}

function toMilliseconds(seconds: string): number {
  const number = Number(seconds) * 1000;
  // 900 s is what Lambda takes.
  if (seconds.trim() !== '' && number > 0 && number <= 900_000) return number;
  throw new UsageError(`Expected --timeout to be a number of seconds, at most 900, got "${seconds}".`);
}

function toVariables(assignments: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(assignments.map(toVariable));
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
