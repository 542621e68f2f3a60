import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import type { GraphQLSchema, IntrospectionQuery } from 'graphql';

import type { CreateFromOptions } from '../../../server/for-tools.ts';
import type { OperationOutcome, OptionsSource, ServerOptions, ServerPlugin } from '../../../server/index.ts';
import { createTester } from '../../testing/index.ts';
import type { AnyHandler } from '../../testing/index.ts';
import { observeHandlers } from './observe-handlers.ts';
import { placeOf } from './user-code.ts';

/** The servers that functions have created, in order of creation. */
export interface RecordedServers {
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

/** The schema of a server, twice: the function may have another copy of graphql than this command, which accepts only schemas of its own. */
export interface RecordedSchemas {
  /** The schema as clients see it. */
  readonly seen: GraphQLSchema;
  /** The schema as the function's plugins get it. */
  readonly served: GraphQLSchema;
}

/** Records every handler that functions create in this process. */
export function recordServers(): RecordedServers {
  const servers: RecordedServer[] = [];
  observeHandlers((create, source) => {
    let handler: ReturnType<typeof create> | undefined;
    let refusal: unknown;
    try {
      handler = create(source);
    } catch (error) {
      refusal = error;
    }
    servers.push({ source, refusal, place: placeOf(new Error('called from')), schemas: () => readSchemas(source, create) });
    return (handler ?? ignore) as ReturnType<typeof create>;
  });
  return { servers };
}

/** Events that carry the query, because handlers only for Lambda accept no `Request`. */
const platforms = ['fetch', 'function-url'] as const;

/**
 * Sends an introspection query to a server with only the schema, because the user's context, limits or plugins could reject it. The
 * function's code creates that server, because a `schema` built in code uses the graphql of the bundle.
 */
async function readSchemas(source: OptionsSource<ServerOptions>, create: CreateFromOptions<unknown>): Promise<RecordedSchemas> {
  const { typeDefs, resolvers, schema, incrementalDelivery } = await (typeof source === 'function' ? source() : source);
  const given = Object.entries({ typeDefs, resolvers, schema, incrementalDelivery }).filter(([, value]) => value !== undefined);
  let served: GraphQLSchema | undefined;
  let outcome: OperationOutcome | undefined;
  const recorder: ServerPlugin = {
    serverWillStart: (context) => void (served = context.schema),
    // The response would be limited to Lambda's size, which a schema of 1,500 types exceeds. So would the result, if nothing encoded it.
    operation: async (_, next) => (outcome = await next()),
    encode: () => (response) => response,
  };
  const handler = create({
    ...Object.fromEntries(given),
    nodeEnv: 'development',
    landingPage: false,
    maxResultBytes: Number.MAX_SAFE_INTEGER,
    logger: silent,
    plugins: [recorder],
  });
  const query = getIntrospectionQuery({
    inputValueDeprecation: true,
    specifiedByUrl: true,
    oneOf: true,
    experimentalDirectiveDeprecation: true,
  });
  for (const platform of platforms) {
    if (outcome === undefined)
      await createTester(handler as AnyHandler, { platform })
        .run(query)
        .catch(ignore);
  }
  const { data, errors } = (outcome as OperationOutcome | undefined)?.result ?? {};
  if (data === undefined || data === null || errors !== undefined)
    throw new Error(errors?.map(({ message }) => message).join('\n') ?? 'The result has neither data nor errors.');
  return { seen: buildClientSchema(data as unknown as IntrospectionQuery), served: served! };
}

const ignore = (): void => {};
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
