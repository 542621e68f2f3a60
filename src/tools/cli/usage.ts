/** The usage of `init`. */
export const initUsage: string = `graphql-functions init [options] [folder]

Creates a project: a schema with resolvers, a function or server for a platform,
and the settings to check, build and deploy it. In a terminal, prompts for
missing options. Writes nothing if any of the files already exists.

In production, the project runs only the operations in its folder operations,
which clients send by id.

  --platform <name>      netlify, lambda (AWS, with SAM), workers (Cloudflare),
                         nextjs, node, hono or deno; required without a
                         terminal
  --codegen              generates resolver types from the schema, with
                         GraphQL Code Generator
  --tests                adds tests for Node's test runner
  --no-codegen, --no-tests
                         omits these; the default without a terminal
  --open-api             lets clients send any operation
  --subgraph             makes a federation subgraph, which only the router
                         may call
  --help                 prints this help

The default folder is the current one.`;

// Options of several commands.
const ofFolder = `  --functions <folder>   the folder with the functions
                         (default: functions, else netlify/functions)`;
const ofName = `  --function <name>      the same as the name after the options
                         (default: graphql, or the only one)`;
const ofEnvironment = '  --env <NAME=value>     an environment variable. Repeatable.';
const ofPackages = `  --external <package>   a package that is not bundled, besides those with
                         native code or files. Repeatable.`;

/** The usage of `dev`. */
export const devUsage: string = `graphql-functions dev [options]

Runs every function in a folder locally, as the platform would, and reloads
functions when files change.

${ofFolder}
  --prefix <path>        the path before function names
                         (default: /.netlify/functions for Netlify, else /)
  --port <number>        0: any free port (default: 8888, or the next free one)
  --host <name>          the interface to listen on (default: localhost)
  --env <NAME=value>     an environment variable for the functions; {url} is
                         replaced with the server's URL. Repeatable.
${ofPackages}
  --env-file <file>      a file with environment variables
                         (default: .env, if it exists)
  --query <operation>    runs an operation at startup and prints the response
  --open                 opens the first GraphQL function in the browser
  --platform <name>      netlify, netlify-v1, aws-http, aws-rest, function-url,
                         alb or fetch: how to call functions
  --timeout <seconds>    stops a function that takes longer; the function can
                         read the remaining time
  --help                 prints this help

NODE_ENV is "development" unless it is set.`;

/** The usage of `check`. */
export const checkUsage: string = `graphql-functions check [options] [operation files]

Loads every function, checks its options, schema and resolvers, and validates
operations in .graphql files or in gql\`…\` literals of client code:

  graphql-functions check 'src/**/*.{graphql,ts,tsx}'

Prints every problem with its file and line. Exits with code 1 if there are any.

${ofFolder}
  --function <name>      the function whose schema the operations use
                         (default: graphql, or the only one)
  --documents <files>    operation files, as an option. Repeatable.
  --format <name>        human, json, or github for annotations in GitHub
                         Actions (default: human)
  --json                 the same as --format json:
                         [{ file, line, column, message }]
${ofEnvironment}
${ofPackages}

NODE_ENV is "test" unless it is set.`;

/** The usage of `build`. */
export const buildUsage: string = `graphql-functions build --out <folder> [options] [function]

Bundles a function into a folder to deploy on Lambda, together with the code
that V8 has compiled, which makes it start faster.

  --out <folder>         the folder to write
  --node-flags=<flags>   Node's flags on the platform (default: --expose-gc)
${ofFolder}
${ofName}
${ofEnvironment}
${ofPackages}

The function is loaded with NODE_ENV "production".`;

/** The usage of `documents`. */
export const documentsUsage: string = `graphql-functions documents [options] [operation files]

Collects the operations of clients as trusted documents, and validates them:
those in .graphql files and in gql\`…\` literals of code, and the manifests of
client tools (.json). Writes a manifest of the new ones to
documents/<date>-<hash>.json, and keeps the manifests of earlier releases.
Also writes documents/index.ts for the server, and documents/ids.ts for clients.
Writes nothing if nothing has changed. Commit the folder.

  --draft                writes documents/draft.json, which the next run
                         replaces, while you change operations
  --check                writes nothing, and exits with code 1 if a document is
                         missing
  --schema <files>       the schema, in .graphql files or in code. Repeatable.
                         (default: the function's own schema)
  --out <folder>         the folder to write (default: documents)
${ofFolder}
  --function <name>      the function that clients call
                         (default: graphql, or the only one)
${ofEnvironment}

The default operation files are 'operations/**/*.graphql'. NODE_ENV is "test"
unless it is set.`;

/** The usage of `migrate`. */
export const migrateUsage: string = `graphql-functions migrate [options] [files and folders]

Changes imports of apollo-server-lambda, -core and apollo-datasource(-rest) 2
and 3 to graphql-functions/v3, and updates package.json. Prints the changes and
what you have to change by hand. Reads code with the project's @babel/parser or
oxc-parser; without either, prompts to download one into a temporary folder.

  --dry-run    prints changes without writing them
  --yes        downloads a parser without a prompt

The default is the whole project.`;

/** The usage of `schema`. */
export const schemaUsage: string = `graphql-functions schema [options] [function]

Prints a function's schema as clients see it, for code generators, registries
and editors. It does not include applied directives.

  --out <file>           writes the schema to a file
${ofFolder}
${ofName}
${ofEnvironment}
${ofPackages}

NODE_ENV is "test" unless it is set.`;

/** The usage of all commands. */
export const usage: string = [
  initUsage,
  devUsage,
  checkUsage,
  buildUsage,
  documentsUsage,
  schemaUsage,
  migrateUsage,
  'graphql-functions --version',
].join('\n\n');
