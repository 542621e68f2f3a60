import { BasicTracerProvider } from '@opentelemetry/sdk-trace-node';

import { costLine } from '../../../src/entries/cost-line.ts';
import { limits } from '../../../src/entries/limits.ts';
import { cacheControlDefinitions, edge } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/index.ts';
import type { KeyValueCache } from '../../../src/entries/index.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import type { Logger } from '../../../src/server/operation/types.ts';
import { ApolloServer } from '../../../src/entries/v3.ts';
import type { BilledServer } from './servers.ts';
import { shopMakers } from './shop-documents.ts';
import { shopResolvers, shopTypes } from './shop-server.ts';

type Shop = Omit<BilledServer, 'takeSpent'>;
type Parts = { readonly logger: Logger; readonly cache: KeyValueCache };

/** The shop: with default options, with every extension at once, or through the API of version 3. */
export function createShop(kind: 'shop' | 'shop-equipped' | 'shop-v3', parts: Parts): Shop {
  const handler = { shop: servePlainly, 'shop-equipped': serveEquipped, 'shop-v3': serveAsVersion3 }[kind](parts);
  return { handler, keepsReads: kind === 'shop-equipped', leaves: [], rowLeaves: [], inputFields: [], makers: shopMakers };
}

function servePlainly(parts: Parts): BilledServer['handler'] {
  return createHandler({
    nodeEnv: '',
    typeDefs: shopTypes,
    resolvers: shopResolvers as never,
    ...parts,
    incrementalDelivery: incrementalDelivery(),
  });
}

function serveEquipped({ logger, cache }: Parts): BilledServer['handler'] {
  const provider = new BasicTracerProvider();
  return createHandler({
    nodeEnv: '',
    typeDefs: [
      cacheControlDefinitions,
      `${shopTypes} extend type Query @cacheControl(maxAge: 60) { hinted: Listed @cacheControl(maxAge: 9) }`,
    ],
    resolvers: shopResolvers as never,
    logger,
    cache,
    incrementalDelivery: incrementalDelivery(),
    csrfPrevention: true,
    cors: { origin: ['https://shop.example', /\.shop\.example$/] },
    context: ({ request }: { request: { headers: Map<string, string> } }) => ({ user: request.headers.get('authorization') }),
    formatError: (formatted: unknown) => formatted,
    plugins: [
      limits({ maxDepth: 100, maxAliases: 10_000, maxCost: 100_000_000 }),
      edge({ cdn: 'fastly', defaultMaxAge: 60, store: cache, deploy: '1' }),
      openTelemetry({ tracerProvider: provider, document: true }),
      costLine({ write: (line) => logger.info(line) }),
    ],
  } as never);
}

/** The schema without the subscription, which version 3 did not support. */
function serveAsVersion3(parts: Parts): BilledServer['handler'] {
  const { Subscription: _none, ...resolvers } = shopResolvers as Record<string, unknown>;
  const typeDefs = shopTypes.replace(/type Subscription .*/, '');
  return new ApolloServer({ nodeEnv: 'production', typeDefs, resolvers, ...parts } as object).createHandler();
}
