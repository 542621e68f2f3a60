import type { RequestListener } from 'node:http';

import { edge } from '../../src/entries/edge.ts';
import type { CDN } from '../../src/entries/edge.ts';
import type { ServerOptions } from '../../src/entries/index.ts';
import { createListener } from '../../src/entries/node.ts';
import { randomQuery } from '../extensions/edge/random-query.ts';
import { leaksIn, randomRequest, randomServer } from '../extensions/edge/random-server.ts';
import type { RandomRequest } from '../extensions/edge/random-server.ts';
import type { Random } from '../support/random.ts';
import { recordingLogger } from '../support/recording-logger.ts';

/** A shared cache in front of servers of random schemas. */
export interface RandomAsking {
  readonly random: Random;
  readonly schemas: number;
  readonly cdn: CDN;
  readonly serve: (schema: number, listener: RequestListener) => void;
  readonly ask: (schema: number, request: RandomRequest) => Promise<{ readonly body: string; readonly isKept: boolean }>;
}

/** Sends 20 requests for each schema. Returns the data that reached another user, and the numbers of cached and of personal responses. */
export async function askAtRandom({ random, schemas, cdn, serve, ask }: RandomAsking): Promise<{
  readonly leaks: readonly unknown[];
  readonly kept: number;
  readonly personal: number;
}> {
  const leaks: unknown[] = [];
  let [kept, personal] = [0, 0];
  for (let schema = 0; schema < schemas; schema++) {
    const { lifetimeOf: _none, ...server } = randomServer(random);
    const plugins = [...(server.plugins ?? []), edge({ cdn, varyHeaders: ['accept-language'], defaultMaxAge: random.pick([0, 20]) })];
    const [logger] = recordingLogger();
    serve(schema, createListener({ ...server, logger, plugins, nodeEnv: 'production' } as ServerOptions as never));
    const queries = [randomQuery(random), randomQuery(random)];
    for (let at = 0; at < 20; at++) {
      const request = randomRequest(random, queries);
      const { body, isKept } = await ask(schema, request);
      if (isKept) kept++;
      if (/of [^"]/.test(body)) personal++;
      leaks.push(...leaksIn(body, request.user, request.language).map((text) => ({ text, request, schema: String(server.typeDefs) })));
    }
  }
  return { leaks, kept, personal };
}
