import { posix } from 'node:path';

import { didYouMean } from '../../shared/index.ts';
import { oneOf, toChoice, toFunctionArguments, toPlatform, toPort, toPrefix } from './argument-values.ts';
import type { FunctionArguments } from './argument-values.ts';
import type { PlatformSettings } from './dev/thread-messages.ts';
import { initPlatforms } from './init/compose-project.ts';
import type { InitAPI, InitPlatform } from './init/compose-project.ts';
import { readOptions, UsageError } from './read-options.ts';
import { buildUsage, checkUsage, devUsage, documentsUsage, initUsage, migrateUsage, schemaUsage, usage } from './usage.ts';

/** The arguments of commands for one function. */
export interface NamedFunctionArguments extends FunctionArguments {
  /** Its name, for `build` also its file. Undefined: graphql, or the only one. */
  readonly function: string | undefined;
}

/** The arguments of `graphql-functions dev`. In values of `env`, `{url}` is the server's URL. */
export interface DevArguments extends FunctionArguments {
  readonly name: 'dev';
  readonly prefix: string;
  /** Undefined: 8888, or the next free one. */
  readonly port: number | undefined;
  readonly host: string;
  /** An operation to run once after the server has started. */
  readonly query: string | undefined;
  readonly platform: PlatformSettings;
  /** Undefined: .env, if it exists. */
  readonly envFile: string | undefined;
  /** True: opens the first GraphQL function in the browser. */
  readonly open: boolean;
}

/** The arguments of `graphql-functions check`. */
export interface CheckArguments extends NamedFunctionArguments {
  readonly name: 'check';
  /** Patterns of files with operations. */
  readonly documents: readonly string[];
  readonly format: CheckFormat;
}

/** How `check` prints: for people, as JSON, or as annotations of GitHub Actions. */
export type CheckFormat = (typeof checkFormats)[number];

const checkFormats = ['human', 'json', 'github'] as const;

/** The arguments of `graphql-functions build`. */
export interface BuildArguments extends NamedFunctionArguments {
  readonly name: 'build';
  /** The folder for the bundled function and its V8 code cache. */
  readonly out: string;
  /** The flags that the platform starts Node with. */
  readonly nodeFlags: readonly string[];
}

/** The arguments of `graphql-functions migrate`. */
export interface MigrateArguments {
  readonly name: 'migrate';
  /** Files and folders. */
  readonly paths: readonly string[];
  readonly isDryRun: boolean;
  /** True when npm may fetch a parser. */
  readonly hasAgreed: boolean;
}

/** The arguments of `graphql-functions schema`. */
export interface SchemaArguments extends NamedFunctionArguments {
  readonly name: 'schema';
  /** The file to write. Undefined: stdout. */
  readonly out: string | undefined;
}

/** The arguments of `graphql-functions documents`. */
export interface DocumentsArguments extends NamedFunctionArguments {
  readonly name: 'documents';
  /** Patterns of files with operations. */
  readonly operations: readonly string[];
  /** The folder of the manifests. */
  readonly folder: string;
  /** Patterns of files with the schema. Empty: the schema of the function. */
  readonly schema: readonly string[];
  /** "release": writes the manifest of a release. "draft": writes one that the next run replaces. "check": writes nothing. */
  readonly mode: 'release' | 'draft' | 'check';
}

/** The arguments of `graphql-functions init`. Undefined: not chosen by an option. */
export interface InitArguments {
  readonly name: 'init';
  /** The folder of the new project. */
  readonly folder: string;
  readonly platform: InitPlatform | undefined;
  readonly codegen: boolean | undefined;
  readonly tests: boolean | undefined;
  readonly api: InitAPI;
}

/** A command with its arguments. */
export type Arguments =
  | DevArguments
  | CheckArguments
  | BuildArguments
  | MigrateArguments
  | SchemaArguments
  | DocumentsArguments
  | InitArguments
  | { readonly name: 'version' }
  | { readonly name: 'help'; readonly usage: string };

/** Parses a command line. Throws a UsageError that says what to write instead. */
export function parseArguments(argv: readonly string[]): Arguments {
  const [name, ...rest] = argv;
  if (name === undefined || ['help', '--help', '-h'].includes(name)) return { name: 'help', usage };
  if (['version', '--version', '-v'].includes(name)) return { name: 'version' };
  if (!Object.hasOwn(commands, name)) {
    const known = Object.keys(commands);
    throw new UsageError(
      `Unknown command "${name}".${didYouMean(name, known)} Commands: ${known.join(', ')}. See graphql-functions --help`,
    );
  }
  const command = commands[name as keyof typeof commands];
  if (rest.includes('--help') || rest.includes('-h')) return { name: 'help', usage: command.usage };
  return command.parse(rest);
}

const commands = {
  init: { usage: initUsage, parse: parseInit },
  dev: { usage: devUsage, parse: parseDev },
  check: { usage: checkUsage, parse: parseCheck },
  build: { usage: buildUsage, parse: parseBuild },
  documents: { usage: documentsUsage, parse: parseDocuments },
  migrate: { usage: migrateUsage, parse: parseMigrate },
  schema: { usage: schemaUsage, parse: parseSchema },
};

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;
const common = { functions: text, env: texts, external: texts } as const;
const ofOneFunction = { ...common, function: text } as const;

function parseDev(argv: readonly string[]): DevArguments {
  const { values } = readOptions('dev', argv, {
    ...common,
    prefix: text,
    port: text,
    host: text,
    query: text,
    platform: text,
    timeout: text,
    'env-file': text,
    open: flag,
  } as const);
  const { port, host = 'localhost', query, platform = 'netlify', timeout, open = false, 'env-file': envFile } = values;
  const { prefix = platform.startsWith('netlify') ? '/.netlify/functions' : '/' } = values;
  return {
    name: 'dev',
    ...toFunctionArguments(values),
    prefix: toPrefix(prefix),
    port: port === undefined ? undefined : toPort(port),
    host,
    query,
    platform: toPlatform(platform, timeout),
    envFile,
    open,
  };
}

function parseCheck(argv: readonly string[]): CheckArguments {
  const options = { ...ofOneFunction, documents: texts, json: flag, format: text } as const;
  const { values, positionals } = readOptions('check', argv, options, Infinity);
  const { documents = [], function: named, json = false, format = json ? 'json' : 'human' } = values;
  if (json && format !== 'json')
    throw new UsageError(`--json is the same as --format json and cannot be combined with --format ${format}.`);
  return {
    name: 'check',
    documents: [...positionals, ...documents],
    format: oneOf('format', checkFormats, format),
    function: named,
    ...toFunctionArguments(values),
  };
}

function parseBuild(argv: readonly string[]): BuildArguments {
  const options = { ...ofOneFunction, out: text, 'node-flags': text } as const;
  const { values, positionals } = readOptions('build', argv, options, 1);
  const { function: named = positionals[0], out, 'node-flags': flags = '--expose-gc' } = values;
  if (out === undefined) throw new UsageError('build requires --out <folder>. See graphql-functions build --help');
  const nodeFlags = flags.split(/\s+/).filter((word) => word !== '');
  return { name: 'build', function: named, ...toFunctionArguments(values), out, nodeFlags };
}

function parseMigrate(argv: readonly string[]): MigrateArguments {
  const { values, positionals } = readOptions('migrate', argv, { 'dry-run': flag, yes: flag } as const, Infinity);
  const { 'dry-run': isDryRun = false, yes: hasAgreed = false } = values;
  return { name: 'migrate', paths: positionals.length === 0 ? ['.'] : positionals, isDryRun, hasAgreed };
}

function parseSchema(argv: readonly string[]): SchemaArguments {
  const { values, positionals } = readOptions('schema', argv, { ...ofOneFunction, out: text } as const, 1);
  const { function: named = positionals[0], out } = values;
  return { name: 'schema', function: named, out, ...toFunctionArguments(values) };
}

function parseDocuments(argv: readonly string[]): DocumentsArguments {
  const options = { ...ofOneFunction, schema: texts, out: text, draft: flag, check: flag } as const;
  const { values, positionals } = readOptions('documents', argv, options, Infinity);
  const { function: named, schema = [], out = 'documents', draft = false, check = false } = values;
  if (draft && check) throw new UsageError('Expected --draft or --check, got both.');
  const mode = draft ? 'draft' : check ? 'check' : 'release';
  return {
    name: 'documents',
    operations: positionals.length > 0 ? positionals : ['operations/**/*.graphql'],
    folder: posix.normalize(out.replaceAll('\\', '/')).replace(/\/$/, ''),
    schema,
    mode,
    function: named,
    ...toFunctionArguments(values),
  };
}

function parseInit(argv: readonly string[]): InitArguments {
  const codegenFlags = { codegen: flag, 'no-codegen': flag } as const;
  const options = { platform: text, ...codegenFlags, tests: flag, 'no-tests': flag, 'open-api': flag, subgraph: flag } as const;
  const { values, positionals } = readOptions('init', argv, options, 1);
  const { platform, codegen, 'no-codegen': noCodegen, tests, 'no-tests': noTests, 'open-api': isOpen, subgraph } = values;
  if (subgraph && isOpen) throw new UsageError('Expected --subgraph or --open-api, got both. Only the router calls a subgraph.');
  if (subgraph && codegen)
    throw new UsageError('Expected --subgraph or --codegen, got both. The settings of --codegen are for a schema without @link.');
  return {
    name: 'init',
    folder: positionals[0] ?? '.',
    platform: platform === undefined ? undefined : oneOf('platform', Object.keys(initPlatforms) as InitPlatform[], platform),
    codegen: toChoice('codegen', codegen, noCodegen || subgraph),
    tests: toChoice('tests', tests, noTests),
    api: subgraph ? 'subgraph' : isOpen ? 'open' : 'trusted',
  };
}
