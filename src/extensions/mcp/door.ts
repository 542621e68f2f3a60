import type {
  Asked,
  CreatedContext,
  Door,
  DoorRules,
  OperationOutcome,
  Refusal,
  RequestBody,
  RequestCall,
  ServerStartContext,
} from '../../server/index.ts';
import type { HTTPResponse, RightsFact } from '../../shared/index.ts';
import { unauthorized } from './authorization.ts';
import { authenticationStatus, failure, toResult, unknownArgument } from './call-tool.ts';
import type { Called, ToolResult } from './call-tool.ts';
import { isModern, modernVersion, negotiatedVersion } from './protocol-versions.ts';
import { idOf, internalError, invalidParams, methodNotFound, parseError, readMessage, RPCError } from './messages.ts';
import type { Message } from './messages.ts';
import type { MCPOptions } from './options.ts';
import { accepted, allowedHeaders, jsonType, plain, rpc } from './responses.ts';
import { exploreTools, problemOf } from './explore/index.ts';
import type { ExploreArguments, Explorer } from './explore/index.ts';
import { makeTools } from './tools.ts';
import type { ListedTool, Tool, Tools } from './tools.ts';

/** Methods that need a valid token with authorization, as calls do. */
const methodsOfDiscovery: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'tools/list']);

/** The time for which clients may keep the list of tools. */
const listLifetime = 300_000;

/** One message, as it is answered. */
interface Answering {
  readonly call: RequestCall;
  readonly message: Message;
  readonly modern: boolean;
}

/** The way in for agents. */
export class MCPDoor implements Door {
  readonly name = 'mcp';
  readonly #options: MCPOptions;
  readonly #start: ServerStartContext;
  readonly #rules: DoorRules;
  readonly #explorer: Explorer | undefined;
  #tools: Tools | undefined;

  /** In production the tools are created by the first request that needs them, so that they do not delay a cold start for GraphQL. */
  constructor(options: MCPOptions, start: ServerStartContext, explorer: Explorer | undefined) {
    const { origins, maxBodyBytes } = options;
    this.#options = options;
    this.#start = start;
    this.#explorer = explorer;
    const cors = origins && { origin: origins, allowedHeaders, exposedHeaders: ['www-authenticate'] };
    this.#rules = { methods: ['POST'], gives: [jsonType], maxBodyBytes, cors };
    const { nodeEnv } = start;
    this.#tools = nodeEnv === undefined || nodeEnv === 'production' ? undefined : this.#makeTools();
  }

  #makeTools(report?: (error: unknown) => void): Tools {
    const { tools, warnings } = makeTools(this.#options, this.#start, report);
    for (const warning of warnings) this.#start.logger.warn(warning);
    return tools;
  }

  /** In production, an invalid tool is left out and logged once, and the others still work. */
  get #listed(): Tools {
    return (this.#tools ??= this.#makeTools((error) => this.#start.logger.error('An MCP tool is left out.', error)));
  }

  rules({ request: { method, headers } }: RequestCall): DoorRules | HTTPResponse {
    const origin = headers.get('origin');
    if (origin !== null && this.#options.origins?.includes(origin) !== true) return plain(403, 'The origin is not allowed.');
    // Only a page needs to ask.
    return origin === null && method === 'OPTIONS' ? plain(405, 'Expected POST, got OPTIONS.', { allow: 'POST' }) : this.#rules;
  }

  async read(call: RequestCall, body: RequestBody): Promise<Asked | HTTPResponse> {
    const { headers } = call.request;
    if (this.#options.authorization !== undefined && !headers.has('authorization')) return this.#unauthorized(call, { status: 401 });
    const json = await body.json();
    try {
      const message = readMessage(json);
      return await this.#dispatch({ call, message, modern: isModern(message, headers) });
    } catch (error) {
      const known = error instanceof RPCError;
      if (!known) call.logger.error('The MCP endpoint failed.', error);
      const { status, code, message, data } = known ? error : new RPCError(500, internalError, 'Internal error');
      const id = idOf(json);
      return rpc(status, { ...(id !== undefined && { id }), error: { code, message, ...(data && { data }) } });
    }
  }

  /** Writes plain text for requests that break rules of HTTP or need rights, and an error of JSON-RPC for those without a message. */
  refuse({ status, error }: Refusal, call: RequestCall): HTTPResponse {
    const { message, extensions } = error;
    if (status === 401 || status === 403) return this.#unauthorized(call, { status, error });
    if (status === 405 || status === 406 || status === 415) return plain(status, message);
    const code = extensions?.['code'] === 'BAD_REQUEST' ? parseError : internalError;
    return rpc(status === 422 ? 400 : status, { error: { code, message } });
  }

  #unauthorized({ request }: RequestCall, refusal: Parameters<typeof unauthorized>[0]): HTTPResponse {
    return unauthorized(refusal, this.#options.authorization, request);
  }

  /** The answer to an outcome that refuses the caller, because of `context` or a plugin. */
  #refusalOf(call: RequestCall, outcome: OperationOutcome): HTTPResponse | undefined {
    const status = authenticationStatus(call, outcome);
    if (status === undefined) return undefined;
    return this.#unauthorized(call, { status, error: outcome.result.errors?.[0] });
  }

  async #dispatch(answering: Answering): Promise<Asked | HTTPResponse> {
    const { call, message } = answering;
    const { id, method } = message;
    if (id === undefined) return accepted();
    if (method === 'tools/call') return this.#call(answering);
    // Clients should learn about an invalid token before they call a tool.
    const rights = this.#start.facts.get('rights') as RightsFact | undefined;
    const isListed = rights !== undefined && method === 'tools/list';
    const isPublic = this.#options.authorization === undefined || !methodsOfDiscovery.has(method);
    const context = isPublic && !isListed ? {} : await this.#contextOf(call);
    if ('status' in context) return context;
    if (!isListed) return this.#discover(answering);
    const meets = rights.callerOf(context.contextValue, call.logger);
    return this.#discover(answering, ({ document, operation }) => meets(() => rights.needsOf(document, operation)));
  }

  /** The context of a caller, or the answer to one who is refused. */
  async #contextOf(call: RequestCall): Promise<CreatedContext | HTTPResponse> {
    const created = await call.createContext();
    if (created.refused === undefined) return created;
    const refusal = this.#refusalOf(call, created.refused);
    if (refusal === undefined) throw new RPCError(500, internalError, 'Internal error');
    return refusal;
  }

  async #discover({ message, modern }: Answering, mayCall?: (tool: Tool) => Promise<boolean>): Promise<HTTPResponse> {
    const { method, params } = message;
    const { instructions } = this.#options;
    const capabilities = { tools: {} };
    const guide = instructions === undefined ? {} : { instructions };
    const hints = modern ? { ttlMs: listLifetime, cacheScope: 'private' } : {};
    const result = (value: object): HTTPResponse => this.#result(message, modern, value);
    if (method === 'initialize' && !modern)
      return result({ protocolVersion: negotiatedVersion(message), capabilities, serverInfo: this.#info, ...guide });
    if (method === 'server/discover' && modern) return result({ supportedVersions: [modernVersion], capabilities, ...guide, ...hints });
    if (method === 'ping' && !modern) return result({});
    if (method !== 'tools/list') throw new RPCError(modern ? 404 : 200, methodNotFound, 'Method not found');
    if (params['cursor'] !== undefined) throw new RPCError(200, invalidParams, 'Unknown cursor');
    const tools: ListedTool[] = [];
    for (const tool of this.#listed.values()) if (mayCall === undefined || (await mayCall(tool))) tools.push(tool.listed);
    if (this.#explorer !== undefined) tools.push(...exploreTools);
    return result({ tools, ...hints });
  }

  #call(answering: Answering): Asked | HTTPResponse | Promise<HTTPResponse> {
    const { call, message, modern } = answering;
    const { name, arguments: given = {} } = message.params;
    const explored = exploreTools.find((one) => this.#explorer !== undefined && one.name === name);
    if (explored !== undefined) return this.#explore(answering, explored, given);
    const tool = typeof name === 'string' ? this.#listed.get(name) : undefined;
    if (tool === undefined) throw new RPCError(200, invalidParams, 'Unknown tool');
    const write = (value: ToolResult): HTTPResponse => this.#result(message, modern, value);
    const unknown = unknownArgument(tool, given);
    if (unknown !== undefined) return write(failure(unknown));
    return {
      request: { documentId: tool.documentId, variables: { ...(given as object) } },
      fill: (context) => this.#hiddenOf(tool, context),
      write: (outcome) => this.#writeOutcome(call, { tool, outcome, write }),
    };
  }

  #writeOutcome(call: RequestCall, called: Omit<Called, 'maxBytes'>): HTTPResponse {
    const { outcome } = called;
    const response = this.#refusalOf(call, outcome) ?? toResult(call, { ...called, maxBytes: this.#start.maxResultBytes });
    const headers = call.headersOf(outcome);
    for (const [name, value] of response.headers) headers.set(name, value);
    return { ...response, headers };
  }

  #explore(
    { call, message, modern }: Answering,
    { name, inputSchema }: ListedTool,
    given: unknown,
  ): Asked | HTTPResponse | Promise<HTTPResponse> {
    const explorer = this.#explorer!;
    const write = (value: ToolResult): HTTPResponse => this.#result(message, modern, value);
    const tool = {
      name,
      variables: new Set(Object.keys(inputSchema['properties'] as object)),
      hidden: new Set<string>(),
      isMutation: false,
    };
    const problem = unknownArgument(tool, given) ?? problemOf(given as Readonly<Record<string, unknown>>);
    if (problem !== undefined) return write(failure(problem));
    const { query, variables = {} } = given as ExploreArguments;
    if (name === 'search_schema') return this.#search(call, given as ExploreArguments, write);
    const request = explorer.requestOf(query, variables);
    return {
      request,
      isTrusted: true,
      write: (outcome) => this.#writeOutcome(call, { tool, outcome, write, beside: explorer.reportOn(request, outcome) }),
    };
  }

  async #search(call: RequestCall, given: ExploreArguments, write: (result: ToolResult) => HTTPResponse): Promise<HTTPResponse> {
    const context = await this.#contextOf(call);
    if ('status' in context) return context;
    const { sdl, paths } = await this.#explorer!.search(given, context.contextValue, call.logger);
    const text = sdl === '' ? 'Nothing was found. Try other words.' : `${sdl}\nPaths:\n${paths.join('\n')}`;
    return write({ content: [{ type: 'text', text }], structuredContent: { sdl, paths } });
  }

  /** The values of the variables that the server fills. */
  async #hiddenOf({ hidden }: Tool, context: unknown): Promise<Record<string, unknown>> {
    const values: [name: string, value: unknown][] = [];
    for (const name of hidden) {
      const value = await this.#options.hidden![name]!({ context });
      // A default in the document would replace the value.
      if (value === undefined) throw new Error(`Expected hidden.${name} of mcp to return a value, got undefined.`);
      values.push([name, value]);
    }
    return Object.fromEntries(values);
  }

  #result({ id }: Message, modern: boolean, value: object): HTTPResponse {
    const meta = { ...(value as Partial<ToolResult>)._meta, 'io.modelcontextprotocol/serverInfo': this.#info };
    return rpc(200, { id, result: modern ? { resultType: 'complete', ...value, _meta: meta } : value });
  }

  get #info(): object {
    return { name: this.#options.name, version: this.#options.version };
  }
}
