/** Names of the plugins that a server adds by itself, unless one of the same name is there. */
export type InternalPluginId = 'CacheControl' | 'LandingPageDisabled' | 'SchemaReporting' | 'InlineTrace' | 'UsageReporting';

/** A plugin that stands for one that the server would add. */
export interface InternalPlugin {
  __internal_plugin_id__(): InternalPluginId;
}

/** Marks the listener of the cache-control plugin: it need not see fields that can neither have a hint nor set one. */
export const cacheControlId: unique symbol = Symbol('graphql-functions.v3.cacheControl');

/** Whether the plugins have one of this name. */
export function hasInternalPlugin(plugins: readonly object[], id: InternalPluginId): boolean {
  return plugins.some((plugin) => (plugin as Partial<InternalPlugin>).__internal_plugin_id__?.() === id);
}
