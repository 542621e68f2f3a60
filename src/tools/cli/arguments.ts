import type { PlatformSettings } from './dev/messages.ts';
import type { InitAPI, InitPlatform } from './init/compose-project.ts';

/** The arguments of commands that run functions. */
export interface FunctionArguments {
  /** The functions folder. If undefined, the folder in netlify.toml, or functions, or netlify/functions. */
  readonly functions: string | undefined;
  /** Environment variables of the functions. */
  readonly env: Readonly<Record<string, string>>;
}

/** The arguments of commands for one function. */
export interface NamedFunctionArguments extends FunctionArguments {
  /** The name of the function; `build` also accepts its file. If undefined, the function named graphql, or the only function. */
  readonly function: string | undefined;
}

/** The arguments of `graphql-functions dev`. In values of `env`, `{url}` is the server's URL. */
export interface DevArguments extends FunctionArguments {
  readonly name: 'dev';
  readonly prefix: string;
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
  /** An operation to run once after the server has started. */
  readonly query: string | undefined;
  readonly platform: PlatformSettings;
  /** The file of variables. If the user names none, .env is read, if it exists. */
  readonly envFile: string | undefined;
}

/** The arguments of `graphql-functions check`. */
export interface CheckArguments extends NamedFunctionArguments {
  readonly name: 'check';
  /** Patterns of files with operations. */
  readonly documents: readonly string[];
  readonly json: boolean;
  /** If true, plugins report their findings, such as the rights that documents need. */
  readonly verbose: boolean;
  /** The file or folder that is deployed. Undefined: the sources. */
  readonly built: string | undefined;
}

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
}

/** The arguments of `graphql-functions schema`. */
export interface SchemaArguments extends NamedFunctionArguments {
  readonly name: 'schema';
  /** True: the OpenAPI document of the function's REST routes, in place of the schema. */
  readonly openapi: boolean;
  /** The file to write. Undefined: stdout. */
  readonly out: string | undefined;
}

/** The arguments of `graphql-functions documents`. */
export interface DocumentsArguments {
  readonly name: 'documents';
  /** Patterns of files with operations. */
  readonly operations: readonly string[];
  /** Patterns of files with the schema. */
  readonly schema: readonly string[];
  /** The folder of the manifest and the ids. */
  readonly folder: string;
  /** "add": adds new documents to the manifest. "ids": writes only the ids for clients. "check": writes nothing. */
  readonly mode: 'add' | 'ids' | 'check';
}

/** The arguments of `graphql-functions init`. Undefined: not chosen by an option. */
export interface InitArguments {
  readonly name: 'init';
  /** The folder of the new project. */
  readonly folder: string;
  readonly platform: InitPlatform | undefined;
  readonly api: InitAPI | undefined;
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
  | { readonly name: 'help'; readonly text: string };
