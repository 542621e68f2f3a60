import { ApolloServerPluginCacheControl } from '../plugins/cache-control.ts';
import { hasInternalPlugin } from '../plugins/internal.ts';
import { implicitLandingPage } from '../plugins/landing-page.ts';
import type { ApolloConfig, ApolloServerPlugin, Logger } from '../types.ts';
import type { Config } from './config.ts';

/** The user's plugins, made where they are functions, and those that a server adds by itself. */
export function installPlugins(
  { plugins = [], cacheControl, playground, nodeEnv }: Config,
  apollo: ApolloConfig,
  logger: Logger,
): ApolloServerPlugin<any>[] {
  const installed = plugins.map((plugin) => (typeof plugin === 'function' ? plugin() : plugin));
  if (!hasInternalPlugin(installed, 'CacheControl') && cacheControl !== false)
    installed.push(ApolloServerPluginCacheControl(typeof cacheControl === 'object' ? (cacheControl as object) : {}));
  if (!hasInternalPlugin(installed, 'UsageReporting') && apollo.key !== undefined)
    logger.warn(
      'An Apollo API key is configured, but nothing is reported to Apollo. Install ApolloServerPluginUsageReportingDisabled to say that this is meant.',
    );
  // In development alone: elsewhere a page is shown only if a plugin has one.
  const isShown = nodeEnv === 'development' && playground !== false;
  if (isShown && !hasInternalPlugin(installed, 'LandingPageDisabled')) installed.push(implicitLandingPage());
  return installed;
}
