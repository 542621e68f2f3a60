export { mcp, mcpDefinitions } from '../extensions/mcp/index.ts';
export type { AuthorizationOptions, ExploreOptions, JSONSchema, MCPOptions, ToolOptions } from '../extensions/mcp/index.ts';
export type { ServerPlugin } from '../server/index.ts';
