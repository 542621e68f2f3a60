import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { guardCache, InMemoryLRUCache } from 'graphql-functions/cache';
import { compression } from 'graphql-functions/compression';
import { costLine } from 'graphql-functions/cost-line';
import { RESTDataSource } from 'graphql-functions/datasource';
import { edge } from 'graphql-functions/edge';
import { createHandler } from 'graphql-functions/fetch';
import type { ServerPlugin } from 'graphql-functions';
import { graphqlJSExecutor } from 'graphql-functions/graphql-js';
import { openTelemetry } from 'graphql-functions/opentelemetry';

import { probe } from './probe.ts';

class Texts extends RESTDataSource {
  read(url: string): Promise<unknown> {
    return this.get(url);
  }
}

/** A server with every extension, which executes operations with graphql-js for certain paths. */
const options = {
  ...probe,
  cache: guardCache(new InMemoryLRUCache()),
  maxBodyBytes: 2 ** 20,
  dataSources: () => ({ texts: new Texts() }),
  typeDefs: [probe.typeDefs, 'extend type Query { fetched(url: String!): String }'],
  resolvers: {
    ...probe.resolvers,
    Query: {
      ...probe.resolvers.Query,
      fetched: async (_: unknown, { url }: { url: string }, context: object) =>
        JSON.stringify(await (context as { dataSources: { texts: Texts } }).dataSources.texts.read(url)),
    },
  },
};

const plugins = (): ServerPlugin[] => [
  ...probe.plugins,
  openTelemetry({ tracerProvider: new BasicTracerProvider(), document: true }),
  compression(),
  costLine({ write: () => undefined }),
  edge({ cdn: 'cloudflare', store: new InMemoryLRUCache(), deploy: '1' }),
];

const planned = createHandler({ ...options, plugins: plugins() });
const { incrementalDelivery: _, ...others } = options;
const byGraphQLJS = createHandler({ ...others, plugins: plugins(), executor: graphqlJSExecutor() });

export default {
  fetch(request: Request, env: unknown, context: unknown): Promise<Response> {
    const { fetch } = new URL(request.url).pathname.startsWith('/graphql-js') ? byGraphQLJS : planned;
    return fetch(request, env, context);
  },
};
