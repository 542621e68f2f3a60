import type { ApolloServerPlugin, BaseContext, GraphQLRequestContext, Logger, InternalPlugin, InternalPluginId } from '../types.ts';

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

type Withdrawn<TOptions> = (options?: TOptions) => ApolloServerPlugin & InternalPlugin;

/** The warnings of plugins that have no other effect. */
const warnings: Readonly<Partial<Record<InternalPluginId, string>>> = {
  UsageReporting: 'No usage is reported to Apollo: ApolloServerPluginUsageReporting does nothing here.',
  SchemaReporting: 'No schema is reported to Apollo: ApolloServerPluginSchemaReporting does nothing here. Publish it with rover.',
  InlineTrace: 'Answers carry no ftv1 traces: ApolloServerPluginInlineTrace does nothing here.',
};

/** Has no effect but a warning. */
export const ApolloServerPluginUsageReporting: Withdrawn<ApolloServerPluginUsageReportingOptions> = () => withdrawn('UsageReporting');
/** Has no effect but a warning. */
export const ApolloServerPluginSchemaReporting: Withdrawn<ApolloServerPluginSchemaReportingOptions> = () => withdrawn('SchemaReporting');
/** Has no effect but a warning. */
export const ApolloServerPluginInlineTrace: Withdrawn<ApolloServerPluginInlineTraceOptions> = () => withdrawn('InlineTrace');
/** Takes the place of {@link ApolloServerPluginUsageReporting}. */
export const ApolloServerPluginUsageReportingDisabled: () => ApolloServerPlugin & InternalPlugin = () => ({
  __internal_plugin_id__: () => 'UsageReporting',
});
/** Takes the place of {@link ApolloServerPluginInlineTrace}. */
export const ApolloServerPluginInlineTraceDisabled: () => ApolloServerPlugin & InternalPlugin = () => ({
  __internal_plugin_id__: () => 'InlineTrace',
});

/** Options of {@link ApolloServerPluginDrainHttpServer}. */
export interface ApolloServerPluginDrainHttpServerOptions {
  readonly httpServer: { close(callback?: (error?: Error) => void): unknown; closeIdleConnections?(): void; closeAllConnections?(): void };
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
    httpServer.closeIdleConnections?.();
  });
}

function withdrawn(id: InternalPluginId): ApolloServerPlugin & InternalPlugin {
  return {
    __internal_plugin_id__: () => id,
    serverWillStart: async ({ logger }: { readonly logger: Logger }) => logger.warn(warnings[id]),
  };
}
