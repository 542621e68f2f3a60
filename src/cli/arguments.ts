import { didYouMean } from '../message/did-you-mean.ts';
import { devPlatforms } from './dev/thread-messages.ts';
import type { PlatformSettings } from './dev/thread-messages.ts';
import { readOptions, UsageError } from './read-options.ts';
import { buildUsage, checkUsage, devUsage, doctorUsage, migrateUsage, schemaUsage, usage } from './usage.ts';

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
  /** True: the first GraphQL function is shown in the browser. */
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
  /** True when problems are printed for programs. */
  readonly json: boolean;
  readonly functions: string | undefined;
  /** The function whose schema the operations are for. Undefined: graphql, or the only one. */
  readonly function: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** The arguments of `graphql-functions build`. */
export interface BuildArguments {
  readonly name: 'build';
  /** Its name or its file. Undefined: graphql, or the only one. */
  readonly function: string | undefined;
  readonly functions: string | undefined;
  /** Patterns of files with the schema. Empty: the function's own `typeDefs`. */
  readonly schema: readonly string[];
  /** Patterns of files with operations. */
  readonly documents: readonly string[];
  /** Undefined: `<function>.build.json` beside the function. */
  readonly out: string | undefined;
  /** True when the schema keeps its descriptions. It does in any case where introspection is on. */
  readonly descriptions: boolean;
  /** A folder for the bundled function and V8's code cache of it. Undefined: none is made. */
  readonly codeCache: string | undefined;
  /** The flags that the platform starts Node with, as far as V8 minds them. */
  readonly nodeFlags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The arguments of `graphql-functions migrate`. */
export interface MigrateArguments {
  readonly name: 'migrate';
  /** Files and folders. */
  readonly paths: readonly string[];
  /** True when handlers are written with `createHandler` where that can be done safely. */
  readonly modern: boolean;
  /** True when nothing is written. */
  readonly isDryRun: boolean;
}

/** The arguments of `graphql-functions schema`. */
export interface SchemaArguments {
  readonly name: 'schema';
  /** The function whose schema is printed. Undefined: graphql, or the only one. */
  readonly function: string | undefined;
  readonly functions: string | undefined;
  /** The file that is written. Undefined: stdout. */
  readonly out: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** A command with its arguments. */
export type Arguments =
  | DevArguments
  | DoctorArguments
  | CheckArguments
  | BuildArguments
  | MigrateArguments
  | SchemaArguments
  | { readonly name: 'version' }
  | { readonly name: 'help'; /** Of one command, or of all. */ readonly usage: string };

/** Command line → command. Throws a UsageError that says what to write instead. */
export function parseArguments(argv: readonly string[]): Arguments {
  const [name, ...rest] = argv;
  if (name === undefined || ['help', '--help', '-h'].includes(name)) return { name: 'help', usage };
  if (['version', '--version', '-v'].includes(name)) return { name: 'version' };
  if (!Object.hasOwn(commands, name)) {
    const known = Object.keys(commands);
    throw new UsageError(
      `There is no command "${name}".${didYouMean(name, known)} Commands: ${known.join(', ')}. graphql-functions --help`,
    );
  }
  const command = commands[name as keyof typeof commands];
  if (rest.includes('--help') || rest.includes('-h')) return { name: 'help', usage: command.usage };
  return command.parse(rest);
}

const commands = {
  dev: { usage: devUsage, parse: parseDev },
  check: { usage: checkUsage, parse: parseCheck },
  doctor: { usage: doctorUsage, parse: parseDoctor },
  build: { usage: buildUsage, parse: parseBuild },
  migrate: { usage: migrateUsage, parse: parseMigrate },
  schema: { usage: schemaUsage, parse: parseSchema },
};

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
  const { values, positionals } = readOptions('dev', argv, { ...common, ...devOptions } as const);
  refusePositionals('dev', positionals);
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
  const { values, positionals } = readOptions('doctor', argv, { ...common, event: text, function: text } as const);
  refusePositionals('doctor', positionals);
  if (values.event === undefined) throw new UsageError('Expected doctor --event <file>, got no --event. graphql-functions doctor --help');
  return { name: 'doctor', event: values.event, functions: values.functions, function: values.function, env: toVariables(values.env) };
}

function parseCheck(argv: readonly string[]): CheckArguments {
  const options = { ...common, function: text, documents: { type: 'string', multiple: true }, json: flag } as const;
  const { values, positionals } = readOptions('check', argv, options);
  const { functions, function: named, env, json = false } = values;
  return {
    name: 'check',
    documents: [...positionals, ...(values.documents ?? [])],
    json,
    functions,
    function: named,
    env: toVariables(env),
  };
}

function parseBuild(argv: readonly string[]): BuildArguments {
  const several = { type: 'string', multiple: true } as const;
  const options = {
    ...common,
    function: text,
    schema: several,
    documents: several,
    out: text,
    descriptions: flag,
    'code-cache': text,
    'node-flags': text,
  } as const;
  const { values, positionals } = readOptions('build', argv, options);
  refusePositionals('build', positionals.slice(1));
  const { functions, schema = [], documents = [], out, descriptions = false, env } = values;
  return {
    name: 'build',
    function: values.function ?? positionals[0],
    functions,
    schema,
    documents,
    out,
    descriptions,
    codeCache: values['code-cache'],
    nodeFlags: (values['node-flags'] ?? '--expose-gc').split(/\s+/).filter((word) => word !== ''),
    env: toVariables(env),
  };
}

function parseMigrate(argv: readonly string[]): MigrateArguments {
  const { values, positionals } = readOptions('migrate', argv, { modern: flag, 'dry-run': flag } as const);
  return {
    name: 'migrate',
    paths: positionals.length === 0 ? ['.'] : positionals,
    modern: values.modern ?? false,
    isDryRun: values['dry-run'] ?? false,
  };
}

function parseSchema(argv: readonly string[]): SchemaArguments {
  const { values, positionals } = readOptions('schema', argv, { ...common, function: text, out: text } as const);
  refusePositionals('schema', positionals.slice(1));
  const { functions, out, env } = values;
  return { name: 'schema', function: values.function ?? positionals[0], functions, out, env: toVariables(env) };
}

function refusePositionals(command: string, [first]: readonly string[]): void {
  if (first !== undefined) throw new UsageError(`Expected options after ${command}, got "${first}". graphql-functions ${command} --help`);
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
