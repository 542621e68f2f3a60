import type { ApolloServerPlugin, BaseContext, GraphQLRequestContext, Logger } from '../types.ts';
import type { InternalPlugin, InternalPluginId } from '../types.ts';

// Nothing is reported to Apollo: these plugins only log that they have no effect.

// Any: all options of these plugins are accepted.

/** Options of {@link ApolloServerPluginUsageReporting}. */
export type ApolloServerPluginUsageReportingOptions = Record<string, any>;
/** Options of {@link ApolloServerPluginSchemaReporting}. */
export type ApolloServerPluginSchemaReportingOptions = Record<string, any>;
/** Options of {@link ApolloServerPluginInlineTrace}. */
export type ApolloServerPluginInlineTraceOptions = Record<string, any>;

/** Which variables or header fields usage reports would have. */
export type SendValuesBaseOptions = { onlyNames: string[] } | { exceptNames: string[] } | { all: true } | { none: true };
export type VariableValueOptions =
  | { transform: (options: { variables: Record<string, any>; operationString?: string }) => Record<string, any> }
  | SendValuesBaseOptions;

/** The client in usage reports. */
export interface ClientInfo {
  clientName?: string;
  clientVersion?: string;
}
export type GenerateClientInfo<TContext = BaseContext> = (requestContext: GraphQLRequestContext<TContext>) => ClientInfo;

/** Has no effect but a warning: nothing is reported to Apollo. */
export function ApolloServerPluginUsageReporting(_options?: ApolloServerPluginUsageReportingOptions): ApolloServerPlugin & InternalPlugin {
  return withdrawn('UsageReporting', 'No usage is reported to Apollo: ApolloServerPluginUsageReporting does nothing here.');
}

/** Takes the place of {@link ApolloServerPluginUsageReporting}. */
export function ApolloServerPluginUsageReportingDisabled(): ApolloServerPlugin & InternalPlugin {
  return { __internal_plugin_id__: () => 'UsageReporting' };
}

/** Has no effect but a warning: no schema is reported to Apollo. */
export function ApolloServerPluginSchemaReporting(
  _options?: ApolloServerPluginSchemaReportingOptions,
): ApolloServerPlugin & InternalPlugin {
  return withdrawn(
    'SchemaReporting',
    'No schema is reported to Apollo: ApolloServerPluginSchemaReporting does nothing here. Publish it with rover.',
  );
}

/** Has no effect but a warning: answers have no traces for a federated gateway. */
export function ApolloServerPluginInlineTrace(_options?: ApolloServerPluginInlineTraceOptions): ApolloServerPlugin & InternalPlugin {
  return withdrawn('InlineTrace', 'Answers carry no ftv1 traces: ApolloServerPluginInlineTrace does nothing here.');
}

/** Takes the place of {@link ApolloServerPluginInlineTrace}. */
export function ApolloServerPluginInlineTraceDisabled(): ApolloServerPlugin & InternalPlugin {
  return { __internal_plugin_id__: () => 'InlineTrace' };
}

/** Options of {@link ApolloServerPluginDrainHttpServer}. */
export interface ApolloServerPluginDrainHttpServerOptions {
  readonly httpServer: { close(callback?: (error?: Error) => void): unknown; closeIdleConnections?(): void; closeAllConnections?(): void };
  /** Milliseconds after which busy connections are closed. Default: 10,000. */
  readonly stopGracePeriodMillis?: number;
}

/** Closes a Node HTTP server when the GraphQL server stops: idle connections at once, busy ones when they are done. */
export function ApolloServerPluginDrainHttpServer(options: ApolloServerPluginDrainHttpServerOptions): ApolloServerPlugin {
  return { serverWillStart: async () => ({ drainServer: () => drainHttpServer(options) }) };
}

/** Closes a server. Resolves when all connections are closed. */
export function drainHttpServer({ httpServer, stopGracePeriodMillis = 10_000 }: ApolloServerPluginDrainHttpServerOptions): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => httpServer.closeAllConnections?.(), stopGracePeriodMillis);
    httpServer.close(() => {
      clearTimeout(timer);
      resolve();
    });
    httpServer.closeIdleConnections?.();
  });
}

function withdrawn(id: InternalPluginId, message: string): ApolloServerPlugin & InternalPlugin {
  return {
    __internal_plugin_id__: () => id,
    serverWillStart: async ({ logger }: { readonly logger: Logger }) => {
      logger.warn(message);
    },
  };
}
