import { assertKnownOptions, describe } from '../../shared/index.ts';
import type { ScalarSchemas } from './json-schema.ts';

/** What the server adds to the arguments of a tool: the value of a variable that callers neither see nor send. */
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
  /** Bytes of a request, at most the server's `maxBodyBytes`. Default: that of the server */
  readonly maxBodyBytes?: number | undefined;
}

const known: Readonly<Record<keyof MCPOptions, true>> = {
  name: true,
  version: true,
  instructions: true,
  tools: true,
  hidden: true,
  scalars: true,
  origins: true,
  path: true,
  authorization: true,
  maxBodyBytes: true,
};

export function assertMCPOptions(given: MCPOptions | undefined): void {
  const options = given ?? ({} as MCPOptions);
  assertKnownOptions(options, known, { of: 'mcp' });
  const { name, version, tools = {}, hidden = {}, origins = [], path = '/mcp', authorization, maxBodyBytes = 1 } = options;
  for (const [key, value] of Object.entries({ name, version }))
    assertOption(typeof value === 'string' && value !== '', `${key} of mcp to be a string`, value);
  for (const tool of Object.keys(tools)) assertName(tool, 'The tool');
  for (const [variable, value] of Object.entries(hidden))
    assertOption(typeof value === 'function', `hidden.${variable} of mcp to be a function`, value);
  assertOption(/^\/[\w./-]*\w$/.test(path), "path of mcp to be the end of a path such as '/mcp'", path);
  for (const origin of origins)
    assertOption(URL.canParse(origin) && new URL(origin).origin === origin, "origins of mcp to be like 'https://app.example.com'", origin);
  assertOption(maxBodyBytes > 0, 'maxBodyBytes of mcp to be a positive number', maxBodyBytes);
  if (authorization === undefined) return;
  const { resource, authorizationServers, scopes = [] } = authorization;
  const isURL = URL.canParse(resource) && !/[?#"\\]/.test(resource);
  assertOption(isURL, 'authorization.resource of mcp to be a URL without query and fragment', resource);
  const hasServers = Array.isArray(authorizationServers) && authorizationServers.length > 0;
  assertOption(hasServers, 'authorization.authorizationServers of mcp to be a list of URLs', authorizationServers);
  // RFC 6749 section 3.3.
  for (const scope of scopes) assertOption(/^[!#-[\]-~]+$/.test(scope), 'authorization.scopes of mcp to be scope names', scope);
}

function assertOption(isValid: boolean, expected: string, value: unknown): void {
  if (!isValid) throw new TypeError(`Expected ${expected}, got ${describe(value)}.`);
}

/** Throws unless every client accepts the name of a tool. */
export function assertName(name: string, place: string): void {
  if (!/^[\w-]{1,64}$/.test(name)) throw new Error(`${place} of mcp needs a name of 1 to 64 letters, digits, "_" and "-", got "${name}".`);
}
