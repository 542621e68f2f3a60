import type { OperationInContext, RequestCall, ServerPlugin, ServerStartContext } from '../../server/index.ts';
import { addVary } from '../../shared/index.ts';
import type { HTTPResponse } from '../../shared/index.ts';
import { metadata, metadataPath, unauthorized } from './authorization.ts';
import { readJSON } from './body.ts';
import { authenticationStatus, calledTool, callTool } from './call-tool.ts';
import type { ToolResult } from './call-tool.ts';
import { isModern, modernVersion, negotiatedVersion } from './protocol-versions.ts';
import { idOf, internalError, invalidParams, methodNotFound, readMessage, RPCError } from './messages.ts';
import type { Message } from './messages.ts';
import { assertMCPOptions } from './options.ts';
import type { MCPOptions } from './options.ts';
import { accepted, allowedHeaders, jsonType, plain, preflight, rpc } from './responses.ts';
import { makeTools } from './tools.ts';
import type { Tool, Tools } from './tools.ts';

/** The directive `@mcpTool`, for `typeDefs`: makes a tool of the trusted document whose operation has it. */
export const mcpDefinitions = 'directive @mcpTool(name: String, title: String, description: String) on QUERY | MUTATION\n';

/**
 * Serves trusted documents as tools of the Model Context Protocol, at the path `/mcp` of the same function: versions 2026-07-28,
 * 2025-11-25 and 2025-06-18, without sessions. Nothing else can be called: no introspection, no other document.
 *
 * @example
 * export default createHandler({
 *   typeDefs: [mcpDefinitions, typeDefs], resolvers, trustedDocuments: { documents },
 *   plugins: [mcp({ name: 'books', version: '1.0.0' })],
 * });
 */
export function mcp<TContext = any>(options: MCPOptions<TContext>): ServerPlugin {
  assertMCPOptions(options);
  const endpoint = new Endpoint(options as MCPOptions);
  return {
    // Plugins that refuse requests also receive those of tools, wherever they are in the list.
    position: 'last',
    once: 'mcp()',
    check: (context) => makeTools(options as MCPOptions, context).warnings,
    ...(options.origins && { corsHeaders: { allowed: allowedHeaders, exposed: ['www-authenticate'] } }),
    start: (context) => endpoint.start(context),
    async request(call, next) {
      return endpoint.answer(call) ?? next();
    },
    ...(options.hidden && {
      async document(operation, next) {
        await endpoint.fillHidden(operation);
        return next();
      },
    }),
  };
}

/** Methods that need a valid token with authorization, as calls do. */
const methodsOfDiscovery: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'tools/list']);

/** The time for which clients may keep the list of tools. */
const listLifetime = 300_000;

class Endpoint {
  readonly #options: MCPOptions;
  readonly #path: string;
  #start: ServerStartContext | undefined;
  #tools: Tools | undefined;

  constructor(options: MCPOptions) {
    this.#options = options;
    this.#path = options.path ?? '/mcp';
  }

  /** In production the tools are created by the first request that needs them, so that they do not delay a cold start for GraphQL. */
  start(context: ServerStartContext): void {
    this.#start = context;
    const { nodeEnv } = context;
    this.#tools = nodeEnv === undefined || nodeEnv === 'production' ? undefined : this.#makeTools(context);
  }

  #makeTools(context: ServerStartContext, report?: (error: unknown) => void): Tools {
    const { tools, warnings } = makeTools(this.#options, context, report);
    for (const warning of warnings) context.logger.warn(warning);
    return tools;
  }

  /** In production, an invalid tool is left out and logged once, and the others still work. */
  get #listed(): Tools {
    return (this.#tools ??= this.#makeTools(this.#start!, (error) => this.#start!.logger.error('An MCP tool is left out.', error)));
  }

  async fillHidden({ request: { documentId, variables }, call, contextValue }: OperationInContext): Promise<void> {
    const tool = call.facts.get(calledTool) as Tool | undefined;
    if (tool === undefined || tool.documentId !== documentId) return;
    for (const name of tool.hidden) {
      const value = await this.#options.hidden![name]!({ context: contextValue });
      // A default in the document would replace the value.
      if (value === undefined) throw new Error(`Expected hidden.${name} of mcp to return a value, got undefined.`);
      Object.defineProperty(variables, name, { value, enumerable: true });
    }
  }

  /** Undefined: the request is not for this endpoint. */
  answer(call: RequestCall): Promise<HTTPResponse> | undefined {
    const { path } = call.request;
    const { authorization } = this.#options;
    // Clients insert the well-known path before the path of the endpoint, or omit the latter.
    if (path.includes(metadataPath)) return authorization && Promise.resolve(metadata(authorization, call.request));
    return path.endsWith(this.#path) || path.endsWith(`${this.#path}/`) ? this.#answerEndpoint(call) : undefined;
  }

  async #answerEndpoint(call: RequestCall): Promise<HTTPResponse> {
    const { headers, method } = call.request;
    const origin = headers.get('origin');
    if (origin !== null && this.#options.origins?.includes(origin) !== true) return plain(403, 'The origin is not allowed.');
    const response = method === 'OPTIONS' && origin !== null ? preflight() : await this.#answerMessage(call);
    if (origin !== null) {
      response.headers.set('access-control-allow-origin', origin);
      response.headers.set('access-control-expose-headers', 'www-authenticate');
      addVary(response.headers, 'Origin');
    }
    return response;
  }

  async #answerMessage(call: RequestCall): Promise<HTTPResponse> {
    const { headers, method, body } = call.request;
    if (method !== 'POST') return plain(405, 'Expected POST.', { allow: 'POST' });
    // Web pages cannot send this type without a preflight.
    const type = headers.get('content-type') ?? '';
    if (!/^application\/json\s*(?:;|$)/i.test(type) || /;\s*charset=(?!"?utf-8\b)/i.test(type)) return plain(415, `Expected ${jsonType}.`);
    if (!/^\s*$|\*\/\*|application\/(?:json|\*)/i.test(headers.get('accept') ?? '')) return plain(406, `Expected to send ${jsonType}.`);
    if (this.#options.authorization !== undefined && !headers.has('authorization'))
      return unauthorized(401, this.#options.authorization, call.request);
    const limit = this.#start!.maxBodyBytes;
    const maxBytes = Math.min(this.#options.maxBodyBytes ?? limit, limit);
    let json: unknown;
    try {
      json = await readJSON(body, maxBytes);
      const message = readMessage(json);
      return await this.#dispatch(call, message, isModern(message, headers));
    } catch (error) {
      const known = error instanceof RPCError;
      if (!known) call.logger.error('The MCP endpoint failed.', error);
      const { status, code, message, data } = known ? error : new RPCError(500, internalError, 'Internal error');
      const id = idOf(json);
      return rpc(status, { ...(id !== undefined && { id }), error: { code, message, ...(data && { data }) } });
    }
  }

  async #dispatch(call: RequestCall, message: Message, modern: boolean): Promise<HTTPResponse> {
    const { id, method, params } = message;
    if (id === undefined) return accepted();
    const result = (value: object): HTTPResponse => {
      const meta = { ...(value as Partial<ToolResult>)._meta, 'io.modelcontextprotocol/serverInfo': this.#info };
      return rpc(200, { id, result: modern ? { resultType: 'complete', ...value, _meta: meta } : value });
    };
    const hints = modern ? { ttlMs: listLifetime, cacheScope: 'private' } : {};
    if (this.#options.authorization !== undefined && methodsOfDiscovery.has(method)) {
      const refusal = await this.#authorize(call);
      if (refusal !== undefined) return refusal;
    }
    switch (method) {
      case 'initialize':
        if (modern) break;
        return result({
          protocolVersion: negotiatedVersion(message),
          capabilities: { tools: {} },
          serverInfo: this.#info,
          ...this.#instructions,
        });
      case 'server/discover':
        if (modern) return result({ supportedVersions: [modernVersion], capabilities: { tools: {} }, ...this.#instructions, ...hints });
        break;
      case 'ping':
        if (!modern) return result({});
        break;
      case 'tools/list':
        if (params['cursor'] !== undefined) throw new RPCError(200, invalidParams, 'Unknown cursor');
        return result({ tools: Array.from(this.#listed.values(), ({ listed }) => listed), ...hints });
      case 'tools/call':
        return this.#call(call, params, result);
    }
    throw new RPCError(modern ? 404 : 200, methodNotFound, 'Method not found');
  }

  async #call(call: RequestCall, params: Message['params'], result: (value: ToolResult) => HTTPResponse): Promise<HTTPResponse> {
    const tool = typeof params['name'] === 'string' ? this.#listed.get(params['name']) : undefined;
    if (tool === undefined) throw new RPCError(200, invalidParams, 'Unknown tool');
    const outcome = await callTool(call, tool, {
      given: params['arguments'],
      write: result,
      maxBytes: this.#start!.maxResultBytes,
    });
    const response = 'response' in outcome ? outcome.response : unauthorized(outcome.status, this.#options.authorization, call.request);
    if (outcome.retryAfter !== undefined) response.headers.set('retry-after', outcome.retryAfter);
    return response;
  }

  /** Runs `context`, so that clients learn about an invalid token before they call a tool. Undefined if it accepts the caller. */
  async #authorize(call: RequestCall): Promise<HTTPResponse | undefined> {
    const outcome = await call.runOperation({ query: '{ __typename }' });
    const status = authenticationStatus(call, outcome);
    if (status !== undefined) return unauthorized(status, this.#options.authorization, call.request);
    if (outcome.contextFailed === true) throw new RPCError(500, internalError, 'Internal error');
    return undefined;
  }

  get #info(): object {
    return { name: this.#options.name, version: this.#options.version };
  }

  get #instructions(): object {
    const { instructions } = this.#options;
    return instructions === undefined ? {} : { instructions };
  }
}
