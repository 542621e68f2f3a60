import type { Door, ServerPlugin } from '../../server/index.ts';
import type { HTTPRequest } from '../../shared/index.ts';
import { MissingDoor, RouteDoor } from './door.ts';
import type { RouteSettings } from './door.ts';
import { body, http } from './directives.ts';
import { assertRESTOptions } from './options.ts';
import type { RESTOptions } from './options.ts';
import type { RouteTable } from './route-table.ts';
import { readRoutes } from './routes.ts';

/**
 * Serves trusted documents with the directive `@http` as REST, below the path `/rest` of the same function, and describes them with OpenAPI
 * 3.1 at `/rest/openapi.json`. Nothing else can be called: no other document, no text, no introspection.
 *
 * @example
 * export default createHandler({
 *   typeDefs, resolvers,
 *   trustedDocuments: { documents: { book: 'query Book($id: ID!) @http(method: GET, route: "/books/{id}") { book(id: $id) { title } }' } },
 *   plugins: [rest({ info: { title: 'Books', version: '1.0.0' } })],
 * });
 */
export function rest(options: RESTOptions = {}): ServerPlugin {
  assertRESTOptions(options);
  const { path = '/rest', scalars = {}, otherParameters = [] } = options;
  const settings = { scalars, otherParameters: new Set(otherParameters) };
  return {
    once: 'rest()',
    documentDirectives: [http, body],
    check: (context) => void readRoutes(context),
    doors(start) {
      const { nodeEnv } = start;
      const isProduction = nodeEnv === undefined || nodeEnv === 'production';
      let table = isProduction ? undefined : readRoutes(start);
      return (request) => {
        if (!request.path.includes(`${path}/`)) return undefined;
        table ??= readRoutes(start, (error) => start.logger.error('A REST route is left out.', error));
        return findDoor(path, request, table, settings);
      };
    },
  };
}

/** Finds the door at the first position of `path` in the path of the request whose rest matches a route. */
function findDoor(path: string, { path: whole, method }: HTTPRequest, table: RouteTable, settings: RouteSettings): Door | undefined {
  let isBelow = false;
  for (let at = whole.indexOf(`${path}/`); at >= 0; at = whole.indexOf(`${path}/`, at + 1)) {
    const below = whole.slice(at + path.length + 1);
    if (below === '') continue;
    isBelow = true;
    const matched = table.match(below);
    if (matched.routes.length > 0) return new RouteDoor(settings, matched, method);
  }
  return isBelow ? new MissingDoor(path) : undefined;
}
