import type { Door, ServerPlugin, ServerStartContext } from '../../server/index.ts';
import type { HTTPRequest } from '../../shared/index.ts';
import { descriptionDoor, missingDoor, routeDoor } from './door.ts';
import type { RouteSettings } from './door.ts';
import { body, http } from './directives.ts';
import { describeRoutes } from './openapi.ts';
import { assertRESTOptions } from './options.ts';
import type { RESTOptions } from './options.ts';
import type { RouteTable } from './route-table.ts';
import { readRoutes } from './routes.ts';

/**
 * Serves trusted documents with the directive `@http` as REST, below the path `/rest` of the same function, and describes them with OpenAPI
 * 3.1 at `/rest/openapi.json`. Nothing else can be called: no other document, no text, no introspection.
 *
 * A route is `query Book($id: ID!) @http(method: GET, route: "/books/{id}") { book(id: $id) { title } }`.
 *
 * @example
 * export default createHandler({
 *   typeDefs, resolvers,
 *   trustedDocuments: { documents },
 *   plugins: [rest({ info: { title: 'Books', version: '1.0.0' } })],
 * });
 */
export function rest(options: RESTOptions = {}): RESTPlugin {
  assertRESTOptions(options);
  const { path = '/rest', scalars = {}, otherParameters = [], openapi = true } = options;
  const settings = { scalars, otherParameters: new Set(otherParameters) };
  return {
    once: 'rest()',
    documentDirectives: [http, body],
    check: (context) => void readRoutes(context),
    describe: (context) => describeRoutes(readRoutes(context), context, options),
    doors(start) {
      const { nodeEnv } = start;
      const isProduction = nodeEnv === undefined || nodeEnv === 'production';
      let table = isProduction ? undefined : readRoutes(start);
      let description: string | undefined;
      return (request) => {
        if (!request.path.includes(`${path}/`)) return undefined;
        const routes = (table ??= readRoutes(start, (error) => start.logger.error('A REST route is left out.', error)));
        const described = openapi && (() => (description ??= describeRoutes(routes, start, options)));
        return findDoor({ path, table: routes, settings, described }, request);
      };
    },
  };
}

/** The plugin, and the OpenAPI document for `graphql-functions schema --openapi`. */
export interface RESTPlugin extends ServerPlugin {
  describe(context: Pick<ServerStartContext, 'schema' | 'trustedDocuments' | 'facts'>): string;
}

interface Finding {
  readonly path: string;
  readonly table: RouteTable;
  readonly settings: RouteSettings;
  /** Writes the OpenAPI document; false if it is hidden. */
  readonly described: false | (() => string);
}

/** Finds the door at the first position of `path` in the path of the request whose rest matches a route. */
function findDoor({ path, table, settings, described }: Finding, { path: whole, method }: HTTPRequest): Door | undefined {
  let isBelow = false;
  for (let at = whole.indexOf(`${path}/`); at >= 0; at = whole.indexOf(`${path}/`, at + 1)) {
    const below = whole.slice(at + path.length + 1);
    if (below === '') continue;
    isBelow = true;
    const matched = table.match(below);
    const isDescription = described !== false && (below === 'openapi.json' || below === 'openapi.json/');
    // Literal segments come before parameters, for the methods that they have.
    if (isDescription && (method === 'GET' || method === 'HEAD' || matched.routes.length === 0)) return descriptionDoor(described);
    if (matched.routes.length > 0) return routeDoor(settings, matched, method);
  }
  return isBelow ? missingDoor(path) : undefined;
}
