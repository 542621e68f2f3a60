export { mcp, mcpDefinitions } from '../extensions/mcp/index.ts';
export type { AuthorizationOptions, JSONSchema, MCPOptions, ToolOptions } from '../extensions/mcp/index.ts';
export type { ServerPlugin } from '../server/index.ts';
