import type { Plugin } from 'esbuild';
import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import type { GraphQLSchema, IntrospectionQuery } from 'graphql';

import type { ServerOptions } from '../options.ts';
import type { OptionsSource } from '../start.ts';

/** The servers that functions have made, in the order in which they made them. */
export interface RecordedServers {
  /** Puts itself between a function and createHandler. */
  readonly plugin: Plugin;
  readonly servers: readonly RecordedServer[];
}

export interface RecordedServer {
  /** The schema as clients see it. Rejects with what is wrong with options that come asynchronously. */
  schema(): Promise<GraphQLSchema>;
}

type CreateHandler = (options: OptionsSource<ServerOptions>) => (event: unknown) => Promise<unknown>;

const entries = /^graphql-functions(?:\/(?:aws-lambda|netlify|fetch))?$/;
const key = Symbol.for('graphql-functions.check');

/**
 * Gets hold of the options of every handler. By the bundler, and not by a hook in the library: that would be in every
 * production bundle. And within the bundle's own copy of graphql, of which a ready `schema` is.
 */
export function recordServers(): RecordedServers {
  const servers: RecordedServer[] = [];
  Object.assign(globalThis, {
    [key]: (options: OptionsSource<ServerOptions>, createHandler: CreateHandler) => {
      servers.push({ schema: () => introspect(options, createHandler) });
    },
  });
  return { plugin, servers };
}

const plugin: Plugin = {
  name: 'graphql-functions-recorded',
  setup(build) {
    build.onResolve({ filter: entries }, ({ path, namespace, resolveDir }) =>
      namespace === 'graphql-functions-recorded' ? undefined : { path, namespace: 'graphql-functions-recorded', pluginData: resolveDir },
    );
    build.onLoad({ filter: /.*/, namespace: 'graphql-functions-recorded' }, ({ path, pluginData }) => ({
      resolveDir: pluginData as string,
      // Queries without HTTP are for every entry that takes events; the others are asked for their schema by the main one.
      contents: `import * as real from '${path}';
        import { createHandler as createUniversal } from 'graphql-functions';
        export * from '${path}';
        export function createHandler(options) {
          const handler = real.createHandler(options);
          globalThis[Symbol.for('graphql-functions.check')]?.(options, createUniversal);
          return handler;
        }`,
    }));
  },
};

/** Asks a server that has the schema alone: neither the user's context nor limits nor plugins are in the way. */
async function introspect(source: OptionsSource<ServerOptions>, createHandler: CreateHandler): Promise<GraphQLSchema> {
  const { typeDefs, resolvers, schema } = await (typeof source === 'function' ? source() : source);
  const given = Object.entries({ typeDefs, resolvers, schema }).filter(([, value]) => value !== undefined);
  const handler = createHandler({ ...Object.fromEntries(given), nodeEnv: 'development', landingPage: false, logger: silent });
  const query = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, oneOf: true });
  const { data, errors } = (await handler({ query })) as { data?: IntrospectionQuery; errors?: readonly Error[] };
  if (data === undefined || errors !== undefined)
    throw new Error(errors?.map(({ message }) => message).join('\n') ?? 'The schema is silent.');
  return buildClientSchema(data);
}

const ignore = (): void => {};
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
