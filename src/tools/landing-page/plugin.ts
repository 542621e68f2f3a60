import { hasPackageFiles } from '../../server/for-tools.ts';
import type { LandingPage, ServerPlugin } from '../../server/index.ts';
import { aFunction, assertEntries, boolean } from '../../shared/index.ts';
import type { PackedPlayground } from './playground-files.ts';

/** The settings of the page for browsers. */
export interface LandingPageOptions {
  /** true: GraphiQL, served from this package. false: a small page with the endpoint's URL. Default: true on Node, false elsewhere. */
  readonly embedded?: boolean;
  /**
   * The playground for platforms without a file system: `() => import('graphql-functions/playground')`. Called when a browser first
   * requests the page. Default: it is read from the package.
   */
  readonly playground?: () => Promise<{ readonly playground: PackedPlayground }>;
}

/**
 * The page that browsers get in development. It is enabled by default; add it to `plugins` to configure it, or on platforms
 * without Node, where the server cannot load it automatically.
 *
 * @example
 * ```ts
 * createHandler({ typeDefs, resolvers, plugins: [landingPage({ embedded: false })] });
 * ```
 */
export function landingPage(options: LandingPageOptions = {}): ServerPlugin {
  assertEntries('', options, { embedded: boolean, playground: aFunction }, 'landingPage');
  return { serverWillStart: () => ({ renderLandingPage: () => renderLandingPage(options) }) };
}

/** Loads the page's code only when a browser requests it in development. */
export async function renderLandingPage({ embedded = true, playground }: LandingPageOptions): Promise<LandingPage> {
  const [{ createPage }, loaded] = await Promise.all([import('./html.ts'), playground?.()]);
  return createPage({ embedded, playground: loaded?.playground, explains: hasPackageFiles() });
}
