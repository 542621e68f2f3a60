import type { ServerPlugin, ServerStartContext } from '../../server/index.ts';
import { assertEntries } from '../../shared/index.ts';
import { descriptionDoor, missingDoor, routeDoor } from './door.ts';
import { body, http } from './directives.ts';
import { describeRoutes } from './openapi.ts';
import { expectations } from './options.ts';
import type { RESTOptions } from './options.ts';
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
  assertEntries('', options, expectations, 'rest');
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
      return ({ path: whole, method }) => {
        let isBelow = false;
        for (const below of endsBelow(path, whole)) {
          isBelow = true;
          const routes = (table ??= readRoutes(start, (error) => start.logger.error('A REST route is left out.', error)));
          const matched = routes.match(below);
          const isDescription = openapi && (below === 'openapi.json' || below === 'openapi.json/');
          // Literal segments come before parameters, for the methods that they have.
          if (isDescription && (method === 'GET' || method === 'HEAD' || matched.routes.length === 0))
            return descriptionDoor(() => (description ??= describeRoutes(routes, start, options)));
          if (matched.routes.length > 0) return routeDoor(settings, matched, method);
        }
        return isBelow ? missingDoor(path) : undefined;
      };
    },
  };
}

/** The plugin, and the OpenAPI document for `graphql-functions schema --openapi`. */
export interface RESTPlugin extends ServerPlugin {
  describe(context: Pick<ServerStartContext, 'schema' | 'trustedDocuments' | 'facts'>): string;
}

/** The parts of a path behind each occurrence of `path`, from the left. A route may match any of them. */
function* endsBelow(path: string, whole: string): Generator<string> {
  for (let at = whole.indexOf(`${path}/`); at >= 0; at = whole.indexOf(`${path}/`, at + 1)) {
    const below = whole.slice(at + path.length + 1);
    if (below !== '') yield below;
  }
}
