import type { ServerPlugin, ServerStartContext } from '../../server/index.ts';
import { metadataDoor, metadataPath } from './authorization.ts';
import { MCPDoor } from './door.ts';
import { Explorer } from './explore/index.ts';
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
  const { authorization, explore = false, path: end = '/mcp' } = options;
  let explorer: Explorer | undefined;
  const explorerOf = (start: Pick<ServerStartContext, 'schema' | 'facts'>): Explorer | undefined =>
    explore ? new Explorer(explore === true ? {} : explore, start) : undefined;
  return {
    once: 'mcp()',
    documentDirectives: [directive],
    ...(explore && { document: (operation, next) => explorer!.read(operation, next) }),
    check(context) {
      explorerOf(context);
      return makeTools(options, context).warnings;
    },
    doors(start) {
      explorer = explorerOf(start);
      const door = new MCPDoor(options, start, explorer);
      const metadata = authorization && metadataDoor(authorization);
      return ({ path }) => {
        // Clients insert the well-known path before that of the endpoint, or omit the latter.
        if (path.includes(metadataPath)) return metadata;
        return path.endsWith(end) || path.endsWith(`${end}/`) ? door : undefined;
      };
    },
  };
}
