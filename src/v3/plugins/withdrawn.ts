import type { ApolloServerPlugin, InternalPlugin } from '../types.ts';

const ownPage = 'open the endpoint in Apollo Sandbox, or return a page of your own from renderLandingPage';

/** Plugins that log one line and do nothing else, with what to do instead. */
const advice = {
  InlineTrace: 'use inlineTraces() of graphql-functions/subgraph, with createHandler',
  LandingPageGraphQLPlayground: ownPage,
  LandingPageLocalDefault: ownPage,
  LandingPageProductionDefault: ownPage,
  SchemaReporting: 'publish the schema with rover',
  UsageReporting: 'nothing is reported to Apollo',
};

// Any: all options of these plugins are accepted.
type Plugin = (options?: any) => ApolloServerPlugin & InternalPlugin;

export const ApolloServerPluginInlineTrace: Plugin = () => withdrawn('InlineTrace');
export const ApolloServerPluginLandingPageGraphQLPlayground: Plugin = () => withdrawn('LandingPageGraphQLPlayground');
export const ApolloServerPluginLandingPageLocalDefault: Plugin = () => withdrawn('LandingPageLocalDefault');
export const ApolloServerPluginLandingPageProductionDefault: Plugin = () => withdrawn('LandingPageProductionDefault');
export const ApolloServerPluginSchemaReporting: Plugin = () => withdrawn('SchemaReporting');
export const ApolloServerPluginUsageReporting: Plugin = () => withdrawn('UsageReporting');

export const ApolloServerPluginInlineTraceDisabled: Plugin = () => silent('InlineTrace');
export const ApolloServerPluginLandingPageDisabled: Plugin = () => silent('LandingPageDisabled');
export const ApolloServerPluginUsageReportingDisabled: Plugin = () => silent('UsageReporting');

function withdrawn(id: keyof typeof advice): ApolloServerPlugin & InternalPlugin {
  return {
    ...silent(id),
    serverWillStart: async ({ logger }) => logger.warn(`ApolloServerPlugin${id} does nothing here: ${advice[id]}.`),
  };
}

function silent(id: string): InternalPlugin {
  return { __internal_plugin_id__: () => id };
}
