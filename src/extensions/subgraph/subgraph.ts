import { print } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { sourcesOf } from '../../executor/schema/index.ts';
import type { ServerOptions, ServerPlugin } from '../../server/index.ts';
import { describe } from '../../shared/index.ts';
import type { InlineTraces } from './inline-traces.ts';
import { createEntitiesResolver, resolveEntityType } from './entities.ts';
import { References } from './reference-resolvers.ts';
import { assertRouter, assertRouterSecret } from './router-secret.ts';
import type { RouterSecret } from './router-secret.ts';
import { subgraphText } from './subgraph-text.ts';

/** Options of a subgraph, besides those of its server. */
export interface SubgraphSettings {
  /**
   * Refuse requests without a secret that only the router knows, before anything else runs. Health checks and direct invocations need
   * none. Default: anyone who can reach the function may read any entity by its key.
   */
  readonly routerSecret?: RouterSecret;
  /** `inlineTraces()`: sends traces to routers that ask for them (`extensions.ftv1`). Default: none are sent. */
  readonly traces?: InlineTraces;
}

/** The options of {@link subgraph}: those of its server, with `typeDefs`, and {@link SubgraphSettings}. */
export type SubgraphOptions<
  TContext extends object = object,
  TDataSources extends object = object,
  TEvent = unknown,
  TPlatformContext = unknown,
  TEnv = unknown,
> = Omit<ServerOptions<TContext, TDataSources, TEvent, TPlatformContext, TEnv>, 'schema'> & SubgraphSettings;

/** The result of {@link subgraph}: options of the server, of which these have types that others are inferred from. */
export type SubgraphServerOptions<
  TContext extends object = object,
  TDataSources extends object = object,
  TEvent = unknown,
  TPlatformContext = unknown,
  TEnv = unknown,
> = Pick<ServerOptions<TContext, TDataSources, TEvent, TPlatformContext, TEnv>, 'typeDefs' | 'context' | 'dataSources' | 'resolvers'> & {
  // Any: version 3 has other plugins.
  plugins: any[];
};

/**
 * Makes the options of a federation subgraph, versions 1 and 2.0 to 2.15, for the `createHandler` of any entry: adds `Query._service` and
 * `Query._entities` to the schema, and calls `__resolveReference` or `__resolveReferences` of entities.
 *
 * Throws an Error for links that no router understands.
 *
 * @example
 * ```ts
 * import { createHandler } from 'graphql-functions';
 * import { subgraph } from 'graphql-functions/subgraph';
 *
 * export default createHandler(subgraph({ typeDefs, resolvers, routerSecret: { secrets: () => [process.env.ROUTER_SECRET ?? ''] } }));
 * ```
 */
export function subgraph<
  TContext extends object = object,
  TDataSources extends object = object,
  TEvent = unknown,
  TPlatformContext = unknown,
  TEnv = unknown,
>(
  options: SubgraphOptions<TContext, TDataSources, TEvent, TPlatformContext, TEnv>,
): SubgraphServerOptions<TContext, TDataSources, TEvent, TPlatformContext, TEnv>;
/** Makes the options of a subgraph for the servers of `graphql-functions/v3`. `routerSecret` and `traces` are for `createHandler` alone. */
export function subgraph<TConfig extends { readonly typeDefs?: unknown; readonly resolvers?: unknown }>(
  config: TConfig & { readonly routerSecret?: never; readonly context?: object | ((argument: any) => unknown) },
): TConfig;
export function subgraph(options: object): object {
  const { routerSecret, traces, ...given } = ((options as object | undefined) ?? {}) as ServerOptions & SubgraphSettings;
  assertTypeDefs(given);
  if (routerSecret !== undefined) assertRouterSecret(routerSecret);
  if (traces !== undefined && !(traces as Partial<InlineTraces> | null)?.plugin)
    throw new TypeError(`Expected the option traces of subgraph to be inlineTraces(), got ${describe(traces)}.`);
  if (traces !== undefined && given.executor !== undefined)
    throw new Error('Expected subgraph without `executor`, or without `traces`: graphql-js does not report when resolvers are called.');
  const sdl = sourcesOf(given.typeDefs)
    .map((source) => (typeof source === 'string' ? source : print(source)))
    .join('\n');
  const { added, queryRoot, hasEntities } = subgraphText(sdl);
  const references = new References(given.resolvers);
  const resolvers = {
    [queryRoot]: { _service: () => ({ sdl }), ...(hasEntities && { _entities: createEntitiesResolver(references) }) },
    ...(hasEntities && { _Entity: { __resolveType: resolveEntityType } }),
  };
  return {
    ...given,
    typeDefs: [given.typeDefs, added],
    // The author's resolvers come last, so that they replace these.
    resolvers: [resolvers, given.resolvers ?? []].flat() as ServerOptions['resolvers'],
    plugins: [subgraphPlugin(references, routerSecret), ...(traces ? [traces.plugin] : []), ...(given.plugins ?? [])],
  };
}

function assertTypeDefs({ schema, typeDefs }: ServerOptions): void {
  if (schema === undefined && typeDefs !== undefined) return;
  const got = schema === undefined ? 'neither' : 'a `schema`, which does not keep the @link and @key of its text';
  throw new Error(`subgraph expects \`typeDefs\` with \`resolvers\`, got ${got}.`);
}

function subgraphPlugin(references: References, routerSecret: RouterSecret | undefined): ServerPlugin {
  const check = ({ schema }: { readonly schema: GraphQLSchema }): readonly string[] => {
    references.check((name) => 'getInterfaces' in (schema.getType(name) ?? {}));
    return routerSecret === undefined
      ? ['Anyone who can reach this subgraph may read any entity by its key, unless routerSecret is set.']
      : [];
  };
  return {
    position: 'first',
    // This makes the plugin the outermost, so that no other plugin sees a request without the secret. It does nothing after `next`.
    onlyWatches: true,
    check,
    // Other servers call this hook, too.
    serverWillStart(context) {
      if (routerSecret !== undefined && !('nodeEnv' in context))
        throw new Error('subgraph() is for createHandler of graphql-functions. This server would not check routerSecret.');
      if (context.nodeEnv === 'development' || context.nodeEnv === 'test') check(context);
    },
    ...(routerSecret !== undefined && {
      async request({ platform, request }, next) {
        // A direct invocation needs no secret: its caller has the platform's permission to invoke the function.
        if (platform !== 'direct invocation') assertRouter(routerSecret, request.headers);
        return next();
      },
    }),
  };
}
