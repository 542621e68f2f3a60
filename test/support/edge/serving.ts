import { cacheControlDefinitions, edge } from '../../../src/entries/edge.ts';
import type { Edge, EdgeDecision, EdgeOptions } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import type { ServerOptions } from '../../../src/entries/index.ts';
import { recordingLogger } from '../recording-logger.ts';
import type { LogLine } from '../recording-logger.ts';

/** The part of a platform's context that keeps the process alive. */
interface Keeping {
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** A handler with edge. */
export interface EdgeServing {
  readonly get: (query: string, given?: { variables?: object; headers?: Record<string, string>; search?: string }) => Promise<Response>;
  readonly post: (body: object | readonly object[], headers?: Record<string, string>) => Promise<Response>;
  readonly send: (request: Request, context?: Keeping) => Promise<Response>;
  readonly decisions: EdgeDecision[];
  readonly log: readonly LogLine[];
  readonly edge: Edge;
  /** Resolves when all work passed to `waitUntil` has ended. */
  readonly settled: () => Promise<void>;
}

/** Serves a schema with `@cacheControl`. */
export function edgeServing(options: Partial<EdgeOptions> & { server: Partial<ServerOptions> & { typeDefs: string } }): EdgeServing {
  const { server, ...rest } = options;
  const decisions: EdgeDecision[] = [];
  const waiting: Promise<unknown>[] = [];
  const [logger, log] = recordingLogger();
  const extension = edge({ cdn: 'varnish', onDecision: (decision) => void decisions.push(decision), ...rest });
  const { typeDefs, plugins = [], ...others } = server;
  const handler = createHandler({
    logger,
    nodeEnv: 'production',
    ...others,
    typeDefs: [cacheControlDefinitions, typeDefs],
    plugins: [...plugins, extension],
  } as ServerOptions) as (request: Request, context: object) => Promise<Response>;
  const keeping: Keeping = { waitUntil: (work) => void waiting.push(work) };
  const send = (request: Request, context = keeping): Promise<Response> => handler(request, context);
  return {
    get: (query, { variables, headers = {}, search = '' } = {}) => {
      const parameters = new URLSearchParams({ query, ...(variables && { variables: JSON.stringify(variables) }) });
      return send(new Request(`https://api.example/graphql?${parameters.toString()}${search}`, { headers }));
    },
    post: (body, headers = {}) =>
      send(
        new Request('https://api.example/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
      ),
    send,
    decisions,
    log,
    edge: extension,
    settled: async () => {
      while (waiting.length > 0) await Promise.all(waiting.splice(0));
    },
  };
}
