import { HeaderMap } from '../../../message/header-map.ts';
import type { PluginHeaders, GraphQLRequest, GraphQLRequestContext, SchemaHash } from '../types.ts';
import { newCachePolicy } from '../../cache-hints/policy.ts';
import type { PipelineConfig } from './operation.ts';

/** The settings that a request context is made from. */
export type RequestContextSettings = Pick<PipelineConfig, 'schema' | 'logger' | 'cache' | 'debug'> & {
  readonly context: object;
  readonly hashSchema: () => SchemaHash;
};

/** A new request context for one operation, with a context value of its own, also within a batch. */
export function createRequestContext(
  settings: RequestContextSettings,
  request: GraphQLRequest,
  requestIsBatched: boolean,
): GraphQLRequestContext<any> {
  const { schema, logger, cache, debug } = settings;
  return {
    schema,
    logger,
    cache,
    debug,
    request,
    requestIsBatched,
    context: cloneObject(settings.context),
    response: { http: { headers: new HeaderMap() } },
    metrics: {},
    overallCachePolicy: newCachePolicy(),
    // Asked for by few plugins: to hash a schema or a text loads node:crypto into a cold start.
    get schemaHash() {
      return settings.hashSchema();
    },
    get queryHash() {
      return this.source === undefined ? undefined! : hashOf(this.source);
    },
  };
}

/** Sets the fields of another. Cookies are added: each is a field of its own. */
export function setFields(headers: PluginHeaders, fields: Iterable<readonly [name: string, value: string]>): void {
  for (const [name, value] of fields) {
    if (name.toLowerCase() === 'set-cookie') headers.append(name, value);
    else headers.set(name, value);
  }
}

/** A shallow copy with the same prototype. */
function cloneObject<T extends object>(value: T): T {
  return Object.assign(Object.create(Object.getPrototypeOf(value) as object) as T, value);
}

function hashOf(text: string): string {
  return globalThis.process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}
