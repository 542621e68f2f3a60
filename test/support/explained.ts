import type { TestContext } from 'node:test';

import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { ExplainedCall, ExplainReport } from '../../src/tools/explain/index.ts';
import { createHandler } from '../../src/entries/index.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { API } from './datasources/api.ts';
import { startOrigin } from './datasources/origin.ts';
import type { Call, Origin, Reply } from './datasources/origin.ts';
import { createClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { recordingLogger } from './recording-logger.ts';

/** A server in development, with one data source on an origin. */
export interface ExplainingServer {
  readonly origin: Origin;
  readonly clock: Clock;
  /** Runs these calls as the resolver of `{ run }`, and returns the report. */
  explainRun(calls: (api: API) => unknown): Promise<ExplainReport>;
  /** Returns only the report about the calls. */
  explainCalls(calls: (api: API) => unknown): Promise<ExplainedCall[]>;
  /** Sends an operation with the header that requests an explanation. */
  explain(query: string): Promise<ExplainReport>;
  /** Sends any request, and returns its answer. */
  send(request: Request): Promise<any>;
}

let servers = 0;

/** Starts such a server for a test. */
export async function startExplaining(
  t: TestContext,
  reply: (call: Call, before: number) => Reply | Promise<Reply>,
  options: Partial<ServerOptions> = {},
): Promise<ExplainingServer> {
  const origin = await startOrigin(t, reply);
  const clock = createClock(Date.now());
  const scenarios = new Map<string, (api: API) => unknown>();
  const handler = createHandler({
    nodeEnv: 'development',
    csrfPrevention: true,
    logger: recordingLogger()[0],
    cache: new InMemoryLRUCache({ now: clock.now }),
    typeDefs: `type Query { run(scenario: Int): String } # explained ${++servers}`,
    dataSources: () => ({ api: new API(origin.url, { now: clock.now }) }),
    resolvers: {
      Query: {
        async run(_: unknown, { scenario }: { scenario: string }, { dataSources }: { dataSources: { api: API } }) {
          await scenarios.get(String(scenario))?.(dataSources.api);
        },
      },
    },
    ...options,
  } as ServerOptions);
  const send = async (request: Request): Promise<any> => (await handler(request)).json();
  const explain: ExplainingServer['explain'] = async (query) => {
    const answer = await send(
      new Request('https://example.com/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'graphql-functions-explain': '1' },
        body: JSON.stringify({ query }),
      }),
    );
    return answer.extensions.explain;
  };
  const explainRun: ExplainingServer['explainRun'] = (calls) => {
    const scenario = scenarios.size + 1;
    scenarios.set(String(scenario), calls);
    return explain(`{ run(scenario: ${scenario}) }`);
  };
  return {
    origin,
    clock,
    send,
    explain,
    explainRun,
    explainCalls: async (calls) => [...(await explainRun(calls)).calls],
  };
}
