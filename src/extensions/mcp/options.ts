import { aFunction, assertEntries, boolean, isRecord, isScope, positive, text } from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';
import type { ScalarSchemas } from '../json-schema/index.ts';

/** Returns the value of a variable that callers neither see nor send, which the server adds to a tool's arguments. */
export type HiddenVariable<TContext> = (source: { readonly context: TContext }) => unknown;

/** A tool of the option `tools`. Each entry replaces that of the directive `@mcpTool`. */
export interface ToolOptions {
  /** The id of the trusted document. */
  readonly document: string;
  /** Shown to people. Default: none */
  readonly title?: string | undefined;
  /** Says to a model what the tool does. Default: the operation's description, then that of its root field */
  readonly description?: string | undefined;
  /** True: the tool changes nothing. Default: true for queries */
  readonly readOnly?: boolean | undefined;
  /** True: the tool may delete or overwrite something. Default: true for mutations */
  readonly destructive?: boolean | undefined;
  /** True: a second call with the same arguments has no effect. Default: true for queries */
  readonly idempotent?: boolean | undefined;
}

/** Where clients get tokens (RFC 9728). */
export interface AuthorizationOptions {
  /** The URL of this endpoint as clients use it. */
  readonly resource: string;
  /** The URLs of the authorization servers, at least one. */
  readonly authorizationServers: readonly string[];
  readonly scopes?: readonly string[] | undefined;
}

/** Settings for agents that write queries. */
export interface ExploreOptions {
  /** The name of a directive. Agents neither see nor can use what has it. Default: none */
  readonly hide?: string | undefined;
}

/** Options of {@link mcp}. */
export interface MCPOptions<TContext = any> {
  /** The name of the server, for clients. */
  readonly name: string;
  readonly version: string;
  /** Says to a model how to use the tools. Default: none */
  readonly instructions?: string | undefined;
  /** Tools by name. For a document with the directive `@mcpTool`, this replaces the tool of the directive. Default: none */
  readonly tools?: Readonly<Record<string, ToolOptions>> | undefined;
  /** Variables that the server fills, by name, for example the tenant of the caller. Default: none */
  readonly hidden?: Readonly<Record<string, HiddenVariable<TContext>>> | undefined;
  /** JSON Schemas of custom scalars, by name. Default: any value */
  readonly scalars?: ScalarSchemas | undefined;
  /** The origins of web pages that may call the endpoint, for example 'https://app.example.com'. Default: none; programs send no origin */
  readonly origins?: readonly string[] | undefined;
  /** The end of the endpoint's path. Default: '/mcp' */
  readonly path?: string | undefined;
  /**
   * Refuses requests without a token as OAuth 2.1 requires, runs `context` before it lists the tools, and serves the metadata of
   * RFC 9728. Default: none
   */
  readonly authorization?: AuthorizationOptions | undefined;
  /**
   * Adds the tools `search_schema` and `run_query`, with which agents write queries. Needs `limits()` with `maxCost`, and `budget()`.
   * Default: false
   */
  readonly explore?: boolean | ExploreOptions | undefined;
  /** Bytes of a request, at most the server's `maxBodyBytes`. Default: that of the server */
  readonly maxBodyBytes?: number | undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isListOf = (value: unknown, holds: (one: string) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => isText(one) && holds(one));
const requiredText: Expectation = { words: 'a string that is not empty', holds: isText, isRequired: true };

const tool: Readonly<Record<keyof ToolOptions, Expectation>> = {
  document: { ...requiredText, words: 'the id of a trusted document' },
  title: text,
  description: text,
  readOnly: boolean,
  destructive: boolean,
  idempotent: boolean,
};

const authorization: Readonly<Record<keyof AuthorizationOptions, Expectation>> = {
  resource: {
    words: 'a URL without query and fragment',
    holds: (value) => isText(value) && URL.canParse(value) && !/[?#"\\]/.test(value),
    isRequired: true,
  },
  authorizationServers: {
    words: 'a list of URLs',
    holds: (value) => isListOf(value, URL.canParse) && (value as readonly string[]).length > 0,
    isRequired: true,
  },
  scopes: { words: 'a list of scope names', holds: (value) => isListOf(value, isScope) },
};

const expectations: Readonly<Record<keyof MCPOptions, Expectation>> = {
  name: requiredText,
  version: requiredText,
  instructions: text,
  tools: {
    words: 'an object like { find_books: { document: id } }',
    holds: isRecord,
    each: { words: '{ document: id }', holds: isRecord, entries: tool },
  },
  hidden: { words: 'an object like { tenant: ({ context }) => context.tenant }', holds: isRecord, each: aFunction },
  scalars: { words: "an object like { Date: { type: 'string' } }", holds: isRecord, each: { words: 'a JSON Schema', holds: isRecord } },
  origins: {
    words: "a list of origins such as 'https://app.example.com'",
    holds: (value) => isListOf(value, (origin) => URL.canParse(origin) && new URL(origin).origin === origin),
  },
  path: { words: "the end of a path such as '/mcp'", holds: (value) => isText(value) && /^\/[\w./-]*\w$/.test(value) },
  authorization: { words: '{ resource, authorizationServers }', holds: isRecord, entries: authorization },
  explore: {
    words: "true, false or { hide: 'internal' }",
    holds: (value) => isRecord(value) || typeof value === 'boolean',
    entries: { hide: text },
  },
  maxBodyBytes: positive,
};

export function assertMCPOptions(options: MCPOptions = {} as MCPOptions): void {
  assertEntries('', options, expectations, 'mcp');
  for (const name of Object.keys(options.tools ?? {})) assertName(name, 'The tool');
}

/** Throws unless every client accepts the name of a tool. */
export function assertName(name: string, place: string): void {
  if (!/^[\w-]{1,64}$/.test(name)) throw new Error(`${place} of mcp needs a name of 1 to 64 letters, digits, "_" and "-", got "${name}".`);
}
