/** The usage of `dev`. */
export const devUsage: string = `graphql-functions dev [options]

Serves every function of a folder on this machine, as the platform would, and
again after every change.

  --functions <folder>   the folder of the functions
                         (default: functions, else netlify/functions)
  --prefix <path>        the path in front of names
                         (default: /.netlify/functions)
  --port <number>        0: any free port (default: 8888, or the next free one)
  --host <name>          the interface to listen on (default: localhost)
  --env <NAME=value>     a variable for the functions; {url} in it is the
                         server's address. May be repeated.
  --env-file <file>      variables of a file
                         (default: .env, where there is one)
  --query <operation>    runs it once at the start, and prints the answer
  --open                 shows the first GraphQL function in the browser
  --platform <name>      netlify, netlify-v1, aws-http, aws-rest, function-url,
                         alb or fetch: how functions are called
  --stage <name>         for aws-http and aws-rest: the first segment of the
                         path
  --timeout <seconds>    ends a function that takes longer; the function can
                         read how much time is left
  --cold                 a new instance for every request
  --freeze               stops the function between requests, as Lambda does
  --help                 prints this

NODE_ENV is "development" unless it is set.`;

/** The usage of `check`. */
export const checkUsage: string = `graphql-functions check [options] [files of operations]

Loads every function, checks options, schema and resolvers, and validates
operations, in files of their own or in gql\`…\` of a client's code:

  graphql-functions check 'src/**/*.{graphql,ts,tsx}'

Prints every problem with file and line. The exit code is 1 if there is one.

  --functions <folder>   the folder of the functions
                         (default: functions, else netlify/functions)
  --function <name>      the function with the schema of the operations
                         (default: graphql, or the only one)
  --documents <files>    the same as files after the options. May be
                         repeated.
  --json                 prints problems as JSON: [{ file, line, column,
                         message }]
  --env <NAME=value>     a variable for the functions. May be repeated.

NODE_ENV is "test" unless it is set.`;

/** The usage of `doctor`. */
export const doctorUsage: string = `graphql-functions doctor --event <file> [options]

Prints the source of an event (a JSON file), the HTTP request that it becomes,
and the function's answer.

  --event <file>         the event
  --functions <folder>   the folder of the functions
                         (default: functions, else netlify/functions)
  --function <name>      the function that answers
                         (default: graphql, else the first)
  --env <NAME=value>     a variable for the functions. May be repeated.

NODE_ENV is "development" unless it is set.`;

/** The usage of `build`. */
export const buildUsage: string = `graphql-functions build [options] [function]

Checks a function, its schema and operations, and writes <function>.build.json,
with which it starts faster.

  --schema <files>       the schema: --schema 'schema/*.graphql'
                         (default: the function's own typeDefs)
  --documents <files>    operations that need no validation: .graphql files, or
                         manifests (.json)
  --out <file>           where it is written (default: beside the function)
  --descriptions         keeps descriptions
                         (default: only where introspection is on)
  --code-cache <folder>  bundles the function into it, with V8's code cache;
                         for zip files on Lambda
  --node-flags=<flags>   what Node is started with there (default: --expose-gc)
  --functions <folder>   the folder of the functions
                         (default: functions, else netlify/functions)
  --function <name>      the same as the name after the options
                         (default: graphql, or the only one)
  --env <NAME=value>     a variable for the function

--schema, --documents and --env may be repeated. Options that are left out
keep their values of the last build. NODE_ENV is "test" unless it is set.`;

/** The usage of `migrate`. */
export const migrateUsage: string = `graphql-functions migrate [options] [files and folders]

Changes the imports of apollo-server-lambda, -core and apollo-datasource(-rest)
2 and 3 to graphql-functions/v3, and package.json. Prints what it changes, and
what it leaves. Reads code with the project's own parser: @babel/parser,
oxc-parser, or typescript up to version 6.

  --modern     writes handlers with createHandler where that is safe, also
               those of Apollo Server 4 and 5
  --dry-run    prints, and writes nothing

Without files or folders: the whole project.`;

/** The usage of `schema`. */
export const schemaUsage: string = `graphql-functions schema [options] [function]

Prints the schema of a function as clients see it, for code generators,
registries and editors. Applied directives are not a part of that.

  --out <file>           writes it into a file
  --functions <folder>   the folder of the functions
                         (default: functions, else netlify/functions)
  --function <name>      the same as the name after the options
                         (default: graphql, or the only one)
  --env <NAME=value>     a variable for the function. May be repeated.

NODE_ENV is "test" unless it is set.`;

/** The usage of all commands. */
export const usage: string = [devUsage, checkUsage, doctorUsage, buildUsage, schemaUsage, migrateUsage, 'graphql-functions --version'].join(
  '\n\n',
);
