import type { ApolloServerPlugin } from '../types.ts';

/** Options of {@link ApolloServerPluginDrainHttpServer}. */
export interface ApolloServerPluginDrainHttpServerOptions {
  readonly httpServer: { close(callback?: (error?: Error) => void): unknown; closeAllConnections?(): void };
  /** Milliseconds after which busy connections are closed. Default: 10,000. */
  readonly stopGracePeriodMillis?: number;
}

/** Closes a Node HTTP server when the GraphQL server stops: idle connections at once, busy ones when they are done. */
export function ApolloServerPluginDrainHttpServer(options: ApolloServerPluginDrainHttpServerOptions): ApolloServerPlugin {
  return { serverWillStart: async () => ({ drainServer: () => drain(options) }) };
}

/** Resolves when all connections are closed. */
function drain({ httpServer, stopGracePeriodMillis = 10_000 }: ApolloServerPluginDrainHttpServerOptions): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => httpServer.closeAllConnections?.(), stopGracePeriodMillis);
    httpServer.close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
