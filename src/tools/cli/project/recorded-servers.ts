import type { Plugin } from 'esbuild';
import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import type { GraphQLSchema, IntrospectionQuery } from 'graphql';

import type { OptionsSource, ServerOptions, ServerPlugin } from '../../../server/index.ts';
import { interceptEntry } from './intercept-entry.ts';
import { progress } from './progress.ts';
import { placeOf } from './user-code.ts';

/** The servers that functions have created, in order of creation. */
export interface RecordedServers {
  /** Intercepts the functions' calls of createHandler. */
  readonly plugin: Plugin;
  readonly servers: readonly RecordedServer[];
}

export interface RecordedServer {
  /** The argument of createHandler. */
  readonly source: OptionsSource<ServerOptions>;
  /** "file:line:column" of the call, if it is known. */
  readonly place: string | undefined;
  /** The error that createHandler threw. It is not rethrown, so that more errors can be found. */
  readonly refusal: unknown;
  /** Reads the schema. Rejects with the error of asynchronous options. */
  schemas(): Promise<RecordedSchemas>;
}

/** The schema of a server, twice: a bundle has a copy of graphql for itself, which accepts no schema of another copy. */
export interface RecordedSchemas {
  /** As clients see it. */
  readonly seen: GraphQLSchema;
  /** As the function's plugins get it. */
  readonly served: GraphQLSchema;
}

type CreateHandler = (options: OptionsSource<ServerOptions>) => (request: Request) => Promise<Response>;

const key = Symbol.for('graphql-functions.check');
const beginKey = Symbol.for('graphql-functions.check-begins');

/** Records the options of every handler, and the bundle's createHandler: a `schema` built in code uses the graphql of the bundle. */
export function recordServers(): RecordedServers {
  const servers: RecordedServer[] = [];
  Object.assign(globalThis, {
    [beginKey]: () => progress.step('building the whole schema'),
    [key]: (source: OptionsSource<ServerOptions>, createHandler: CreateHandler, refusal: unknown) => {
      // The module's output starts on a new line.
      progress.clear();
      servers.push({ source, refusal, place: placeOf(new Error('called from')), schemas: () => readSchemas(source, createHandler) });
    },
  });
  return { plugin, servers };
}

// The main entry accepts requests of every kind, so it is used to read every schema.
const plugin = interceptEntry({
  name: 'recorded',
  imports: "import { createHandler as createUniversal } from 'graphql-functions';",
  make: (maker) => `
      let handler = () => {}, refusal;
      globalThis[Symbol.for('graphql-functions.check-begins')]?.();
      try { assertAlone(); handler = real.${maker}(options); } catch (error) { refusal = error; }
      globalThis[Symbol.for('graphql-functions.check')]?.(options, createUniversal, refusal);
      return handler;`,
});

/** Sends an introspection query to a server with only the schema, because the user's context, limits or plugins could reject it. */
async function readSchemas(source: OptionsSource<ServerOptions>, createHandler: CreateHandler): Promise<RecordedSchemas> {
  const { typeDefs, resolvers, schema, build, incrementalDelivery } = await (typeof source === 'function' ? source() : source);
  const given = Object.entries({ typeDefs, resolvers, schema, build, incrementalDelivery }).filter(([, value]) => value !== undefined);
  let served: GraphQLSchema | undefined;
  const recorder: ServerPlugin = { serverWillStart: (context) => void (served = context.schema) };
  const handler = createHandler({
    ...Object.fromEntries(given),
    nodeEnv: 'development',
    landingPage: false,
    logger: silent,
    plugins: [recorder],
  });
  const query = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, oneOf: true });
  // Sent as a Request: a direct invocation is limited to Lambda's response size, which a schema of 1,500 types exceeds.
  const headers = { 'content-type': 'application/json' };
  const response = await handler(new Request('http://localhost/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) }));
  const { data, errors } = (await response.json()) as { data?: IntrospectionQuery; errors?: readonly Error[] };
  if (data === undefined || errors !== undefined)
    throw new Error(errors?.map(({ message }) => message).join('\n') ?? 'The result has neither data nor errors.');
  return { seen: buildClientSchema(data), served: served! };
}

const ignore = (): void => {};
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
