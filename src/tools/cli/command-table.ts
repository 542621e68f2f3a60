import { posix } from 'node:path';

import { didYouMean } from '../../shared/index.ts';
import type { Arguments, FunctionArguments, NamedFunctionArguments } from './arguments.ts';
import { oneOf, toNumber, toVariable } from './argument-values.ts';
import { devPlatforms } from './dev/messages.ts';
import { helpOf, overviewOf } from './help.ts';
import type { CommandHelp } from './help.ts';
import { initPlatforms } from './init/compose-project.ts';
import type { InitPlatform } from './init/compose-project.ts';
import { readOptions, UsageError } from './read-options.ts';
import type { Options, OptionValues } from './read-options.ts';

/** A command: its parser, `--help` and its table in docs/command-line.md are made from this. */
export interface Command<T extends Options = Options> extends CommandHelp {
  readonly options: T;
  readonly parse: (values: OptionValues<T>, positionals: readonly string[]) => Arguments;
}

/** Infers the types of the values that `parse` gets. */
function define<const T extends Options>(command: Command<T>): Command {
  return command as unknown as Command;
}

function text(value: string, help: string): { readonly type: 'string'; readonly value: string; readonly help: string } {
  return { type: 'string', value, help };
}

/** An option that can be given several times. */
function list(value: string, help: string): ReturnType<typeof text> & { readonly multiple: true } {
  return { ...text(value, `${help}. Repeatable.`), multiple: true };
}

function flag(help: string): { readonly type: 'boolean'; readonly help: string } {
  return { type: 'boolean', help };
}

// Options of several commands.
const folderOptions = {
  functions: text('<folder>', 'the folder with the functions (default: `functions`, the one in netlify.toml, or `netlify/functions`)'),
  env: list('<NAME=value>', 'an environment variable for the functions'),
};
const functionOptions = {
  function: text('<name>', 'the function (default: `graphql`, or the only one)'),
  ...folderOptions,
};
const underTest = 'NODE_ENV is "test" unless it is set.';

/** All commands, in the order of the list. */
export const commands: Readonly<Record<string, Command>> = {
  init: define({
    about: `Creates a project: a schema with resolvers and tests, a function or server for a platform, and the settings to check, build and deploy it.

In a terminal, prompts for the platform, and for who sends operations. Writes nothing if any of the files already exists. By default, production runs only the operations in the folder operations, which clients send by id.`,
    positional: { name: '[folder]', most: 1, help: 'the folder of the project (default: the current one)' },
    options: {
      platform: text(
        '<name>',
        '`netlify`, `lambda` (AWS, with SAM), `workers` (Cloudflare), `nextjs`, `node`, `hono` or `deno`; required without a terminal',
      ),
      'open-api': flag('lets clients send any operation'),
      subgraph: flag('makes a federation subgraph, which only the router may call'),
    },
    parse({ platform, 'open-api': isOpen, subgraph }, [folder = '.']) {
      if (subgraph && isOpen) throw new UsageError('Expected --subgraph or --open-api, got both. Only the router calls a subgraph.');
      return {
        name: 'init',
        folder,
        platform: platform === undefined ? undefined : oneOf('platform', Object.keys(initPlatforms) as InitPlatform[], platform),
        api: subgraph ? 'subgraph' : isOpen ? 'open' : undefined,
      };
    },
  }),

  dev: define({
    about: 'Runs every function in a folder locally, as the platform would, and reloads functions when files change.',
    options: {
      prefix: text('<path>', 'the path before function names (default: `/.netlify/functions` for Netlify, else `/`)'),
      port: text('<number>', '0: any free port (default: 8888)'),
      host: text('<name>', 'the interface to listen on (default: `localhost`)'),
      query: text(
        '<operation>',
        'runs an operation at the start, in the function `graphql` or else the first GraphQL function, and prints the response',
      ),
      platform: text('<name>', `calls functions as this platform does: ${listOf(devPlatforms)} (default: \`netlify\`)`),
      timeout: text('<seconds>', 'stops a function that takes longer; the function can read the remaining time'),
      'env-file': text(
        '<file>',
        'reads variables from a file; those of the shell and of `--env` take precedence (default: `.env`, if it exists)',
      ),
      ...folderOptions,
    },
    note: 'In values of --env, {url} is replaced with the server’s URL. NODE_ENV is "development" unless it is set.',
    parse({ port = '8888', host = 'localhost', query, platform = 'netlify', timeout, 'env-file': envFile, ...values }) {
      const { prefix = platform.startsWith('netlify') ? '/.netlify/functions' : '/' } = values;
      return {
        name: 'dev',
        ...ofFolder(values),
        // "/" serves functions at the root.
        prefix: `/${prefix}`.replace(/^\/+/, '/').replace(/\/+$/, ''),
        port: toNumber('port', port, 0, 65_535),
        host,
        query,
        platform: {
          platform: oneOf('platform', devPlatforms, platform),
          // Lambda's maximum.
          timeout: timeout === undefined ? undefined : toNumber('timeout', timeout, 1, 900) * 1000,
        },
        envFile,
      };
    },
  }),

  check: define({
    about: `Loads every function, checks its options, schema and resolvers, and validates operations in .graphql files or in gql\`…\` literals of client code.

  graphql-functions check 'src/**/*.{graphql,ts,tsx}'

Prints every problem with its file and line. Exits with code 1 if there are any.`,
    positional: { name: '[files]', most: Infinity, help: 'files with operations, which may be patterns' },
    options: {
      built: text('<path>', 'checks a built file or folder instead: loads it alone, as it is deployed'),
      json: flag('prints the problems as JSON: `[{ file, line, column, message }]`'),
      verbose: flag('prints what each trusted document needs, with authorization()'),
      ...functionOptions,
    },
    note: `--function names the function whose schema the operations use. ${underTest}`,
    parse: ({ json = false, verbose = false, built, ...values }, files) => ({
      name: 'check',
      built,
      documents: files,
      json,
      verbose,
      ...ofFunction(values),
    }),
  }),

  build: define({
    about:
      'Bundles a function into a folder to deploy on Lambda, together with the code that V8 has compiled, which makes it start faster.',
    options: {
      out: text('<folder>', 'the folder to write; required'),
      'node-flags': text('<flags>', 'Node’s flags on the platform (default: `--expose-gc`)'),
      ...functionOptions,
    },
    note: 'The function is loaded with NODE_ENV "production".',
    parse({ out, 'node-flags': flags = '--expose-gc', ...values }) {
      if (out === undefined) throw new UsageError('build requires --out <folder>. See graphql-functions build --help');
      const nodeFlags = flags.split(/\s+/).filter((word) => word !== '');
      return { name: 'build', ...ofFunction(values), out, nodeFlags };
    },
  }),

  documents: define({
    about: `Collects the operations of clients as trusted documents, and validates them.

Reads operations in .graphql files and in gql\`…\` literals of code. Adds the new ones to documents/documents.json, for the server, and never changes or deletes what is there. Writes their ids to documents/ids.ts, for clients. Commit the folder.`,
    positional: { name: '[files]', most: Infinity, help: 'the files of operations (default: `operations/**/*.graphql`)' },
    options: {
      ids: flag('writes only `ids.ts`, while you change operations'),
      check: flag('writes nothing; names each operation that is not in the manifest, and then exits with code 1'),
      schema: list('<files>', 'the schema, in `.graphql` files or in code (default: `graphql/schema.*`)'),
      out: text('<folder>', 'the folder to write (default: `documents`)'),
    },
    parse({ ids = false, check = false, schema = ['graphql/schema.*'], out = 'documents' }, files) {
      if (ids && check) throw new UsageError('Expected --ids or --check, got both.');
      return {
        name: 'documents',
        operations: files.length > 0 ? files : ['operations/**/*.graphql'],
        folder: posix.normalize(out.replaceAll('\\', '/')).replace(/\/$/, ''),
        schema,
        mode: ids ? 'ids' : check ? 'check' : 'add',
      };
    },
  }),

  schema: define({
    about: `Prints a function's schema as clients see it, for code generators, registries and editors.

It does not include applied directives.`,
    options: {
      openapi: flag('prints the OpenAPI document of the REST routes instead'),
      out: text('<file>', 'writes the schema to a file'),
      ...functionOptions,
    },
    note: underTest,
    parse: ({ openapi = false, out, ...values }) => ({ name: 'schema', openapi, out, ...ofFunction(values) }),
  }),

  migrate: define({
    about: `Changes imports of apollo-server-lambda, -core and apollo-datasource(-rest) 2 and 3 to graphql-functions/v3, and updates package.json.

Prints the changes and what you have to change by hand.`,
    positional: { name: '[paths]', most: Infinity, help: 'files and folders (default: the whole project)' },
    options: { 'dry-run': flag('prints changes without writing them') },
    parse: ({ 'dry-run': isDryRun = false }, paths) => ({ name: 'migrate', paths: paths.length === 0 ? ['.'] : paths, isDryRun }),
  }),
};

/** Parses a command line. Throws a UsageError that says what to write instead. */
export function parseArguments(argv: readonly string[]): Arguments {
  const [name, ...rest] = argv;
  if (name === undefined || ['help', '--help', '-h'].includes(name)) return { name: 'help', text: overviewOf(commands) };
  if (['version', '--version', '-v'].includes(name)) return { name: 'version' };
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const known = Object.keys(commands);
    throw new UsageError(
      `Unknown command "${name}".${didYouMean(name, known)} Commands: ${known.join(', ')}. See graphql-functions --help`,
    );
  }
  if (rest.includes('--help') || rest.includes('-h')) return { name: 'help', text: helpOf(name, command) };
  const { values, positionals } = readOptions(name, rest, command.options, command.positional?.most);
  return command.parse(values, positionals);
}

interface FunctionValues {
  readonly functions?: string | undefined;
  readonly env?: readonly string[] | undefined;
  readonly function?: string | undefined;
}

function ofFolder({ functions, env = [] }: FunctionValues): FunctionArguments {
  return { functions, env: Object.fromEntries(env.map(toVariable)) };
}

function ofFunction(values: FunctionValues): NamedFunctionArguments {
  return { ...ofFolder(values), function: values.function };
}

function listOf(names: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names.map((name) => `\`${name}\``));
}
