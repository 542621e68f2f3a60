import type { ServerPlugin } from '../../server/index.ts';
import { metadataDoor, metadataPath } from './authorization.ts';
import { MCPDoor } from './door.ts';
import { assertMCPOptions } from './options.ts';
import type { MCPOptions } from './options.ts';
import { directive, makeTools } from './tools.ts';

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
export function mcp<TContext = any>(given: MCPOptions<TContext>): ServerPlugin {
  assertMCPOptions(given);
  const options = given as MCPOptions;
  const { authorization, path: end = '/mcp' } = options;
  return {
    once: 'mcp()',
    documentDirectives: [directive],
    check: (context) => makeTools(options, context).warnings,
    doors(start) {
      const door = new MCPDoor(options, start);
      const metadata = authorization && metadataDoor(authorization);
      return ({ path }) => {
        // Clients insert the well-known path before that of the endpoint, or omit the latter.
        if (path.includes(metadataPath)) return metadata;
        return path.endsWith(end) || path.endsWith(`${end}/`) ? door : undefined;
      };
    },
  };
}
