import { HeaderMap, sha256 } from '../../shared/index.ts';
import type { PluginHeaders, GraphQLRequest, GraphQLRequestContext } from '../types.ts';
import { newCachePolicy } from '../../extensions/edge/index.ts';
import type { QueryOptions } from '../options.ts';

/** Creates the request context of one operation, with a copy of the context value; operations of a batch have one each. */
export function createRequestContext(
  { schema, logger, cache, debug, context, hashSchema }: QueryOptions,
  request: GraphQLRequest,
  requestIsBatched: boolean,
): GraphQLRequestContext<any> {
  return {
    schema,
    logger,
    cache,
    debug,
    request,
    requestIsBatched,
    // A shallow copy with the same prototype.
    context: Object.assign(Object.create(Object.getPrototypeOf(context) as object) as object, context),
    response: { http: { headers: new HeaderMap() } },
    metrics: {},
    overallCachePolicy: newCachePolicy(),
    // Computed when they are read, because few plugins read them.
    get schemaHash() {
      return hashSchema();
    },
    get queryHash() {
      return this.source === undefined ? undefined! : sha256(this.source);
    },
  };
}

/** Sets all of the fields. Cookies are appended, because each is a separate field. */
export function setFields(headers: PluginHeaders, fields: Iterable<readonly [name: string, value: string]>): void {
  for (const [name, value] of fields) {
    if (name.toLowerCase() === 'set-cookie') headers.append(name, value);
    else headers.set(name, value);
  }
}
