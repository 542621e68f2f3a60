export { mcp, mcpDefinitions } from './plugin.ts';
export type { AuthorizationOptions, ExploreOptions, MCPOptions, ToolOptions } from './options.ts';
export type { JSONSchema } from '../json-schema/index.ts';
